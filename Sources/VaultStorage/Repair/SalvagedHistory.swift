import VaultModel

/// The previous secrets of a salvage: those of items that were saved, under the keys that these have now.
struct SalvagedHistory {
  private let limit: Int
  private var keys: [ItemID: InternetPassword.Key] = [:]
  private var found: [ItemID: [PreviousRecord]] = [:]

  init(limit: Int) {
    self.limit = limit
  }

  /// Notes an item that is in the new vault.
  mutating func add(_ item: InternetPassword) {
    keys[item.id] = item.key
  }

  /// Takes a previous secret's record.
  ///
  /// - Throws: ``VaultError/Code/damaged``.
  mutating func add(_ saved: Salvager.Saved) throws(VaultError) {
    let body = saved.record.body
    let previous = try PreviousRecord(decoding: body, 0..<body.count)
    found[previous.item, default: []].append(previous)
  }

  /// What goes into the new vault: nobody could reach what is kept of an item that is not in it.
  var records: [PreviousRecord] {
    var records: [PreviousRecord] = []
    for (id, key) in keys.sorted(by: { $0.key < $1.key }) {
      for var previous in (found[id] ?? []).sorted(by: { $0.replaced > $1.replaced }).prefix(limit)
      {
        previous.key = key
        records.append(previous)
      }
    }
    return records
  }
}
