import VaultModel

/// The previous secrets of a salvage: those of items that were saved, removed ones too, under the keys that these have now.
struct SalvagedHistory {
  private let limit: Int
  private typealias Owner = PreviousRecord.Owner
  private var keys: [Owner: InternetPassword.Key] = [:]
  private var found: [Owner: [PreviousRecord]] = [:]

  init(limit: Int) {
    self.limit = limit
  }

  /// Notes an item that is in the new vault.
  mutating func add(_ item: InternetPassword) {
    keys[Owner(item: item.id, removed: nil)] = item.key
  }

  /// Notes a removed item that is in the new vault.
  mutating func add(_ removed: RemovedRecord) {
    let item = removed.record.item
    keys[Owner(item: item.id, removed: removed.removed)] = item.key
  }

  /// Takes a previous secret's record.
  ///
  /// - Throws: ``VaultError/Code/damaged``.
  mutating func add(_ saved: Salvager.Saved) throws(VaultError) {
    let body = saved.record.body
    let previous = try PreviousRecord(decoding: body, 0..<body.count)
    found[previous.owner, default: []].append(previous)
  }

  /// What goes into the new vault: nobody could reach what is kept of an item that is not in it.
  var records: [PreviousRecord] {
    var records: [PreviousRecord] = []
    for (owner, key) in keys.sorted(by: { $0.key.item < $1.key.item }) {
      for var previous in (found[owner] ?? []).sorted(by: { $0.replaced > $1.replaced }).prefix(
        limit)
      {
        previous.key = key
        records.append(previous)
      }
    }
    return records
  }
}
