package import VaultModel

/// The records of one host, without secrets.
struct HostRecords {
  var items: [ItemRecord] = []
  let defaults: [DefaultRecord]

  /// The most items of one host, and the most hosts, that are kept.
  static let limit = 32
}

/// Finding what is asked for before each request.
extension TreeReader {
  /// Returns the items that match each of several queries without limits, for servers of one host,
  /// and the defaults of its spaces.
  ///
  /// The records of the last hosts are kept while the root is the same: to read them from their
  /// bucket costs more than the rest.
  package func items(
    matching queries: [ItemQuery], of host: HostName,
    _ take: (ItemRecord) throws(VaultError) -> Item
  ) throws(VaultError) -> (items: [[Item]], defaults: [DefaultRecord]) {
    var found = [[Item]](repeating: [], count: queries.count)
    var ranks = [[Int]](repeating: [], count: queries.count)
    let records = try eachItem(of: host) { (record) throws(VaultError) in
      for index in queries.indices {
        guard let rank = queries[index].rank(of: record.item, at: clock.now()) else { continue }
        found[index].append(try take(record))
        ranks[index].append(rank)
      }
    }
    for index in queries.indices { ItemQuery.sort(&found[index], ranks: ranks[index]) }
    return (found, records.defaults)
  }

  private func eachItem(
    of host: HostName, _ body: (ItemRecord) throws(VaultError) -> Void
  ) throws(VaultError) -> HostRecords {
    if let known = hosts[host] {
      for record in known.items { try body(record) }
      return known
    }
    var records = HostRecords(defaults: try defaults(host: host))
    var route = PartialRoute()
    route.host = Array(host.name.utf8)
    let (kind, prefix) = (RecordKind.item, route.itemPrefix)
    try visit(route, kind: kind, prefix: prefix) { (_, bytes, range) throws(VaultError) in
      let record = try ItemRecord(decoding: bytes, range)
      try body(record)
      if records.items.count <= HostRecords.limit { records.items.append(record) }
    }
    if records.items.count <= HostRecords.limit {
      if hosts.count == HostRecords.limit { hosts = [:] }
      hosts[host] = records
    }
    return records
  }
}
