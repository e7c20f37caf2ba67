import SealedTree
import VaultCrypto
import VaultModel

/// The items of a backup of the same epoch, for naming the contents of lost buckets.
///
/// An item's bucket is a keyed hash of its server, so only a copy under the same vault key helps.
struct BackupNames {
  fileprivate let items: [Item]

  /// Reads a backup's items, without their secrets.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is from another vault or from before a
  ///   rekey, or is the vault itself; ``VaultError/Code/damaged`` if the backup is damaged.
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
      try reader.items(matching: .everything) { $0.item }
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

/// A bucket that only its own seal vouches for, and no parent: it was valid once, but may be
/// outdated.
struct UnprovenBucket {
  private let content: [UInt8]

  /// Opens a row; nil if it does not open.
  init?(_ id: UInt64, in rows: any RowSource, keys: EpochKeys) throws(VaultError) {
    do throws(VaultError) {
      let sealed = try rows.row(id) ?? []
      content = try keys.open(sealed, as: .bucket, id: id)
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }

  /// The server of the first record; all records of a group's tree share it.
  var server: HostName? {
    do throws(VaultError) {
      var records = RecordReader(content)
      guard let record = try records.next() else { return nil }
      let host = try Route(kind: record.kind, content, record.body).key(level: 0)
      guard host != Route.rulesHost else { return nil }
      return HostName(canonical: String(decoding: host, as: UTF8.self))
    } catch {
      return nil
    }
  }

  /// Its items, up to the first malformed record.
  var items: [Item] {
    var items: [Item] = []
    var records = RecordReader(content)
    do throws(VaultError) {
      while let record = try records.next() {
        guard record.kind == RecordKind.item else { continue }
        items.append(try ItemRecord(decoding: content, record.body).item)
      }
    } catch {
      return items
    }
    return items
  }
}
