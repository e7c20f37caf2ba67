import SealedTree
import VaultCrypto
import VaultFile
package import VaultModel

/// The items that restoring a copy would change in a vault, without their secrets, each list in the
/// order of keys.
package struct CopyDifferences: Sendable {
  /// Those of the vault that the copy does not have.
  package let removed: [Item]
  /// Those of the copy that the vault does not have.
  package let added: [Item]
  /// Those of the copy that differ from the vault's of the same key.
  package let changed: [Item]

  /// Compares all items by their keys.
  init(of copy: [Item], with vault: [Item]) {
    var rest: [Item.Key: Item] = [:]
    for item in vault { rest[item.key] = item }
    var (added, changed): ([Item], [Item]) = ([], [])
    for item in copy {
      guard let other = rest.removeValue(forKey: item.key) else {
        added.append(item)
        continue
      }
      // Copies that diverged may have counted to the same revision.
      let isSame =
        item.id == other.id && item.revision == other.revision
        && item.modified == other.modified
      if !isSame { changed.append(item) }
    }
    func sorted(_ items: [Item]) -> [Item] {
      items.sorted { $0.key < $1.key }
    }
    removed = sorted(Array(rest.values))
    (self.added, self.changed) = (sorted(added), sorted(changed))
  }
}

extension VaultFile {
  /// Returns the items in which a copy differs; nil if this file cannot be read with the key.
  ///
  /// - Parameters:
  ///   - copy: The copy, unlocked.
  ///   - key: The key that opens this file.
  ///   - progress: Called with the share that is done, 0 to 1.
  /// - Returns: The items.
  /// - Throws: Any error of reading, but of damage and keys.
  func differences(
    from copy: VaultFile, key: UnlockKey, progress: (Double) -> Void
  ) throws(VaultError) -> CopyDifferences? {
    do throws(VaultError) {
      // Of the copy's epoch, the copy's keys have opened it.
      if ident.epoch != copy.ident.epoch { try unlock(with: key, keyFile: nil) }
      return try differences(from: copy, progress)
    } catch {
      switch error.code {
      case .authenticationFailed, .locked, .damaged: return nil
      default: throw error
      }
    }
  }

  /// Compares item by item, and keeps only those that differ: of the others two numbers.
  private func differences(
    from copy: VaultFile, _ progress: (Double) -> Void
  ) throws(VaultError) -> CopyDifferences {
    let counts = (try requireUnlocked().head.itemCount, try copy.requireUnlocked().head.itemCount)
    let total = Double(max(1, counts.0 + counts.1))
    var done = 0.0
    func count() {
      done += 1
      if done.truncatingRemainder(dividingBy: 1024) == 0 { progress(min(1, done / total)) }
    }
    var states: [ItemID: Int] = [:]
    states.reserveCapacity(Int(clamping: counts.0))
    try eachItem { (state, _) in
      states[state.id] = state.hash
      count()
    }
    var (theirs, ours): ([Item], [Item]) = ([], [])
    try copy.eachItem { (state, item) throws(VaultError) in
      if states[state.id] == state.hash {
        states[state.id] = nil
      } else {
        theirs.append(try item())
      }
      count()
    }
    if !states.isEmpty {
      try eachItem { (state, item) throws(VaultError) in
        if states[state.id] != nil { ours.append(try item()) }
      }
    }
    return CopyDifferences(of: theirs, with: ours)
  }

  /// Calls `body` with every item's state, in no order and without keeping what was read; what it is
  /// given decodes the item.
  private func eachItem(
    _ body: (ItemState, () throws(VaultError) -> Item) throws(VaultError) -> Void
  ) throws(VaultError) {
    try read { (reader) throws(VaultError) in
      try reader.eachBucket { (content) throws(VaultError) in
        let bytes = content
        var records = RecordReader(bytes)
        while let record = try records.next() {
          guard record.kind == RecordKind.item else { continue }
          try body(ItemState(decoding: bytes, record.body)) { () throws(VaultError) in
            try ItemRecord(decoding: bytes, record.body).item
          }
        }
      }
    }
  }
}
