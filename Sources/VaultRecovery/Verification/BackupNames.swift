import SealedTree
import VaultCrypto
import VaultFile
import VaultModel

/// The items of a backup of the same epoch, for naming the contents of lost buckets.
///
/// An item's bucket is a keyed hash of its server, so only a copy under the same vault key helps.
struct BackupNames {
  fileprivate let items: [InternetPassword]

  /// Reads a backup's items, without their secrets.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is from another vault or from before a
  ///   rotation, or is the vault itself; ``VaultError/Code/damaged`` if the backup is damaged.
  init(of vault: VaultFile, in path: VaultPath) throws(VaultError) {
    let keys = try vault.requireUnlocked().keys
    let backup = try VaultFile(path: path, stateFolder: nil, lockTimeout: .zero, role: .backup)
    guard backup.identity != vault.identity else {
      throw VaultError(.invalidArgument, "\(path.path) is the vault itself")
    }
    guard backup.ident.vaultID == keys.ident.vaultID else {
      throw VaultError(.invalidArgument, "\(path.path) is no backup of this vault")
    }
    guard backup.ident.epoch == keys.ident.epoch else {
      throw VaultError(.invalidArgument, "\(path.path) is from another epoch of the vault's key")
    }
    try backup.unlock(with: keys)
    items = try backup.read { (reader) throws(VaultError) in
      try reader.items(matching: ItemQuery()) { $0.item }
    }
  }
}

extension Verifier {
  /// Adds to each lost bucket the items that a backup has there.
  func name(itemsOf backup: BackupNames) throws(VaultError) {
    for lost in lost {
      let (place, level) = (lost.place, lost.place.level)
      let items = backup.items.filter { item in
        if let host = place.host, item.server != host { return false }
        if let account = place.account, item.account != account { return false }
        let key = Route.item(item.key).key(level: level)
        let hash = reader.keys.indexHash(level: UInt8(level), key: key)
        return lost.numbers.contains(Directory.address(hash, bucketCount: lost.bucketCount))
      }
      add(items: items, to: lost.problem)
    }
  }
}
