import SealedTree
import VaultCrypto
import VaultModel

/// The vault's own keyed hashes of what distinguishes records, as for finding a bucket.
///
/// Nobody without the key can cause a collision.
struct RecordHashes {
  let keys: EpochKeys

  /// Returns hashes of the values that no two records may share; the first record is kept.
  func identities(of record: AnyRecord, _ bytes: [UInt8]) -> [UInt64] {
    switch record {
    case .item(let item):
      return [hash("id", item.item.id.bytes), hash("key", ItemRecord.keyPrefix(item.item.key))]
    case .rule(let rule):
      // Two rules with one name would make the policy invalid, and nothing could be stored.
      return [hash("rule", rule.rule.id.bytes), hash("name", Array(rule.rule.name.utf8))]
    case .previousSecret(let past):
      // An older state of a bucket may contain it under an older key.
      let owner = hash(of: past.owner)
      return [hash("previous", past.item.bytes + Self.bytes(of: past.replaced) + owner.bytes)]
    case .removedItem(let removed):
      return [hash(of: PreviousRecord.Owner(removed))]
    case .defaultUser(let user):
      let route = Route.space(user.space)
      return [hash("space", route.key(level: 0) + [0] + route.key(level: 2))]
    default:
      return [hash("record", bytes)]
    }
  }

  private func hash(_ what: StaticString, _ bytes: [UInt8]) -> UInt64 {
    keys.indexHash(level: .max, key: Array("\(what)".utf8) + [0] + bytes)
  }

  /// Returns the hash of the item, or the removed item, that previous secrets belong to.
  func hash(of owner: PreviousRecord.Owner) -> UInt64 {
    guard let removed = owner.removed else { return hash("id", owner.item.bytes) }
    return hash("removed", owner.item.bytes + Self.bytes(of: removed))
  }

  private static func bytes(of time: Timestamp) -> [UInt8] {
    UInt64(bitPattern: time.milliseconds).bytes
  }
}

extension PreviousRecord.Owner {
  init(_ removed: RemovedRecord) {
    self.init(item: removed.record.item.id, removed: removed.removed)
  }
}

extension UInt64 {
  fileprivate var bytes: [UInt8] {
    var bytes: [UInt8] = []
    appendLittleEndian(to: &bytes)
    return bytes
  }
}
