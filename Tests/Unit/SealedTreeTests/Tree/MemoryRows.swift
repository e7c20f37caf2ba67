import SealedTree

/// Rows in memory.
final class MemoryRows: RowSource {
  var rows: [UInt64: [UInt8]] = [:]
  /// The ids of the rows that were asked for.
  private(set) var asked: Set<UInt64> = []

  func byteCount() -> Int { rows.values.reduce(0) { $0 + $1.count } }
  func row(_ id: UInt64) -> [UInt8]? {
    asked.insert(id)
    return rows[id]
  }
  func eachRowID(_ body: (UInt64) -> Void) { rows.keys.sorted().forEach(body) }
  func put(_ sealed: [UInt8], under id: UInt64) { rows[id] = sealed }
  func remove(_ id: UInt64) { rows[id] = nil }
  func put(head sealed: [UInt8]) {}
}
