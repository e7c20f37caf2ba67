import SealedTree
import VaultModel

/// The content of one copy of a vault, as a merge compares it; secrets stay sealed.
struct MergeContent {
  private(set) var items: [ItemID: ItemRecord] = [:]
  private(set) var removed: [RemovedItem.ID: RemovedRecord] = [:]
  /// The last removal of each item in the trash, which may have been removed several times.
  private(set) var lastRemoved: [ItemID: RemovedRecord] = [:]
  private(set) var defaults: [ProtectionSpace: String] = [:]
  let rules: [PersistencePolicy.Rule]
  private var histories: [PreviousRecord.Owner: Set<Moment>] = [:]

  /// The times at which a previous secret was set and replaced, which identify those that both
  /// copies have from before they diverged.
  private struct Moment: Hashable {
    let set: Timestamp
    let replaced: Timestamp
  }

  /// Reads a whole copy; `visited` is called for each item.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if any part is damaged; ``VaultError/Code/tooNew`` for a
  ///   rule with an unknown field.
  init(_ source: some BucketSource, _ visited: () -> Void = {}) throws(VaultError) {
    rules = try source.policy().rules
    try source.visitAll { (kind, bytes, body) throws(VaultError) in
      switch kind {
      case RecordKind.item:
        let record = try ItemRecord(decoding: bytes, body)
        items[record.item.id] = record
        visited()
      case RecordKind.removedItem: add(try RemovedRecord(decoding: bytes, body))
      case RecordKind.previousSecret:
        let previous = try PreviousRecord(decoding: bytes, body)
        histories[previous.owner, default: []].insert(
          Moment(set: previous.set, replaced: previous.replaced))
      case RecordKind.defaultUser:
        let record = try DefaultRecord(decoding: bytes, body)
        defaults[record.space] = record.user
      default: break
      }
    }
  }

  private mutating func add(_ record: RemovedRecord) {
    removed[record.id] = record
    if let known = lastRemoved[record.id.item], known.removed > record.removed { return }
    lastRemoved[record.id.item] = record
  }

  /// Returns whether this copy has a previous secret of one owner that another copy lacks for
  /// another.
  func hasMoreHistory(
    _ owner: PreviousRecord.Owner, than other: MergeContent, _ otherOwner: PreviousRecord.Owner
  ) -> Bool {
    guard let history = histories[owner] else { return false }
    return !history.isSubset(of: other.histories[otherOwner] ?? [])
  }
}
