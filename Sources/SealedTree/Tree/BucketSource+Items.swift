import VaultCrypto
package import VaultModel

/// Finding items and defaults among records.
extension BucketSource {
  /// Returns the items that match a query, in the order that the query defines.
  ///
  /// `take` converts each record for the caller, with or without its secrets; it gets none beyond
  /// the limit.
  package func items(
    matching query: ItemQuery, _ take: (ItemRecord) throws(VaultError) -> Item
  ) throws(VaultError) -> [Item] {
    var found: [Item] = []
    if let limit = query.limit {
      for record in try best(limit, matching: query) { found.append(try take(record)) }
      return found
    }
    var ranks: [Int] = []
    try records(matching: query) { (record, rank) throws(VaultError) in
      found.append(try take(record))
      ranks.append(rank)
    }
    ItemQuery.sort(&found, ranks: ranks)
    return found
  }

  /// Returns the first records in the query's order, without holding many more of them.
  private func best(
    _ limit: Int, matching query: ItemQuery
  ) throws(VaultError) -> [ItemRecord] {
    guard limit > 0 else { return [] }
    var best: [(rank: Int, record: ItemRecord)] = []
    func dropOthers() {
      best.sort { ItemQuery.precedes(($0.rank, $0.record.item), ($1.rank, $1.record.item)) }
      best.removeSubrange(min(limit, best.count)...)
    }
    try records(matching: query) { (record, rank) in
      best.append((rank, record))
      if best.count / 2 >= limit { dropOthers() }
    }
    dropOthers()
    return best.map(\.record)
  }

  private func records(
    matching query: ItemQuery, _ body: (ItemRecord, Int) throws(VaultError) -> Void
  ) throws(VaultError) {
    let known = PartialRoute(query)
    let (kind, prefix) = (RecordKind.item, known.itemPrefix)
    try visit(known, kind: kind, prefix: prefix) { (_, bytes, range) throws(VaultError) in
      let record = try ItemRecord(decoding: bytes, range)
      if let rank = query.rank(of: record.item, at: clock.now()) { try body(record, rank) }
    }
  }

  /// Returns the item with an id: looked up by its last known key, then on its server, then
  /// everywhere.
  package func item(_ id: ItemID, hint: Item.Key) throws(VaultError) -> ItemRecord? {
    var query = ItemQuery(key: hint)
    query.id = id
    if let found = try firstRecord(query) { return found }
    query = .everything
    query.itemClass = hint.itemClass
    query.id = id
    query.server = hint.server.isUnset ? .unset : .equals(hint.server)
    if let found = try firstRecord(query) { return found }
    query.server = .any
    return try firstRecord(query)
  }

  private func firstRecord(_ query: ItemQuery) throws(VaultError) -> ItemRecord? {
    var found: ItemRecord?
    try records(matching: query) { (record, _) in found = record }
    return found
  }

  /// Returns the defaults of the spaces on a host, or of all.
  package func defaults(host: HostName?) throws(VaultError) -> [DefaultRecord] {
    var found: [DefaultRecord] = []
    var known = PartialRoute()
    if let host {
      known.host = Array(host.name.utf8)
      known.account = []
    }
    let kind = RecordKind.defaultUser
    try visit(known, kind: kind, prefix: []) { (_, bytes, body) throws(VaultError) in
      let record = try DefaultRecord(decoding: bytes, body)
      if host == nil || record.space.host == host { found.append(record) }
    }
    return found
  }
}

extension PartialRoute {
  /// Creates the part of an item's route that a query determines.
  package init(_ query: ItemQuery) {
    self.init()
    if !query.includesSubdomains {
      host = query.server.value(unset: .unset).map { Array($0.name.utf8) }
    }
    account = query.account.value(unset: "").map { Array($0.utf8) }
    guard query.fallbacks.isEmpty,
      let key = Item.Key(exactly: query)
    else { return }
    rest = Route.item(key).key(level: 2)
  }

  /// The first fields of the records of items, removed ones too: server and account, as far as both
  /// are known; an unset one has no field.
  ///
  /// No field can stand between the two: their tags are neighbors.
  var itemPrefix: [UInt8] {
    guard let host else { return [] }
    var writer = FieldWriter(capacity: host.count + (account?.count ?? 0) + 6)
    writer.put(FieldTag.server, host)
    if let account { writer.put(FieldTag.account, account) }
    return writer.finish()
  }
}

extension Item.Key {
  /// Creates the key of a query that names all its parts; else nil.
  package init?(exactly query: ItemQuery) {
    if query.itemClass == .genericPassword {
      guard let service = query.server.value(unset: .unset),
        let account = query.account.value(unset: "")
      else { return nil }
      self.init(service: service.name, account: account)
      return
    }
    guard query.itemClass == .internetPassword, let account = query.account.value(unset: ""),
      let realm = query.realm.value(unset: ""),
      let server = query.server.value(unset: .unset), !query.includesSubdomains,
      let `protocol` = query.protocol.value(unset: .unset),
      let method = query.authenticationMethod.value(unset: .unset),
      let port = query.port.value(unset: 0), let path = query.path.value(unset: "")
    else { return nil }
    self.init(
      account: account, realm: realm, server: server, protocol: `protocol`,
      authenticationMethod: method, port: port, path: path)
  }
}
