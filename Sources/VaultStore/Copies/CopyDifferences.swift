import SealedTree
import VaultCrypto
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

/// The states of a copy's items, by which a million are compared in little memory.
final class ItemStates {
  private var hashes: [ItemID: Int] = [:]

  /// - Parameter count: How many a head claims, which may be more than there are.
  init(count: UInt64) { hashes.reserveCapacity(Int(min(count, 1 << 20))) }

  var isEmpty: Bool { hashes.isEmpty }

  func add(_ state: ItemState) { hashes[state.id] = state.hash }

  /// Removes a state; returns whether it was there.
  func remove(_ state: ItemState) -> Bool {
    guard hashes[state.id] == state.hash else { return false }
    hashes[state.id] = nil
    return true
  }
}

extension VaultFile {
  /// Returns the items in which a copy differs; nil if this file cannot be read with the key.
  ///
  /// - Parameters:
  ///   - copy: The copy, unlocked.
  ///   - states: The states of its items; those of items that differ are left.
  ///   - key: The key that opens this file.
  ///   - progress: Called with the share that is done, 0 to 1.
  /// - Returns: The items.
  /// - Throws: Any error of reading, but of damage and keys.
  func differences(
    from copy: VaultFile, _ states: ItemStates, key: UnlockKey, progress: (Double) -> Void
  ) throws(VaultError) -> CopyDifferences? {
    do throws(VaultError) {
      // Of the copy's epoch, the copy's keys have opened it.
      if ident.epoch != copy.ident.epoch { try unlock(with: key, keyFile: nil) }
      let total = Double(
        max(1, try requireUnlocked().head.itemCount + copy.requireUnlocked().head.itemCount))
      var done = 0
      func count() {
        done += 1
        if done % 1024 == 0 { progress(min(1, Double(done) / total)) }
      }
      var (ours, theirs): ([Item], [Item]) = ([], [])
      try eachItem { (state, item) throws(VaultError) in
        if !states.remove(state) { ours.append(try item()) }
        count()
      }
      if !states.isEmpty {
        try copy.eachItem { (state, item) throws(VaultError) in
          if states.remove(state) { theirs.append(try item()) }
          count()
        }
      }
      return CopyDifferences(of: theirs, with: ours)
    } catch {
      switch error.code {
      case .authenticationFailed, .locked, .damaged: return nil
      default: throw error
      }
    }
  }

  /// Calls `body` with every item's state and a function that decodes the item, in no order and
  /// without keeping what was read.
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
