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
  func differences(
    from copy: VaultFile, key: UnlockKey
  ) throws(VaultError) -> CopyDifferences? {
    do throws(VaultError) {
      // Of the copy's epoch, the copy's keys have opened it.
      if ident.epoch != copy.ident.epoch { try unlock(with: key, keyFile: nil) }
      return CopyDifferences(of: try copy.allItems(), with: try allItems())
    } catch {
      switch error.code {
      case .authenticationFailed, .locked, .damaged: return nil
      default: throw error
      }
    }
  }

  private func allItems() throws(VaultError) -> [Item] {
    try read { (reader) throws(VaultError) in
      try reader.items(matching: .everything) { (record) in record.item }
    }
  }
}
