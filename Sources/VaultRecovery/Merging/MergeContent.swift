import SealedTree
import VaultModel

/// Everything of one copy of a vault that a merge compares; secrets stay sealed.
struct MergeContent {
  private(set) var items: [ItemID: ItemRecord] = [:]
  /// When the items in the trash were removed, the last time if there were several.
  private(set) var removed: [ItemID: Timestamp] = [:]
  private(set) var defaults: [ProtectionSpace: String] = [:]
  let rules: [PersistencePolicy.Rule]

  /// Reads a whole copy.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if anything in it is; ``VaultError/Code/tooNew`` for a
  ///   rule with an unknown field.
  init(_ source: some BucketSource) throws(VaultError) {
    rules = try source.policy().rules
    try source.visit(PartialRoute()) { (kind, bytes, body) throws(VaultError) in
      switch kind {
      case RecordKind.item:
        let record = try ItemRecord(decoding: bytes, body)
        items[record.item.id] = record
      case RecordKind.removedItem:
        let id = try RemovedRecord(decoding: bytes, body).id
        removed[id.item] = max(removed[id.item] ?? id.removed, id.removed)
      case RecordKind.defaultUser:
        let record = try DefaultRecord(decoding: bytes, body)
        defaults[record.space] = record.user
      default: break
      }
    }
  }
}
