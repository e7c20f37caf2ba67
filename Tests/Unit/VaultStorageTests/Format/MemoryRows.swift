import SealedTree

/// Rows in memory.
final class MemoryRows: RowSource {
  var rows: [UInt64: [UInt8]] = [:]

  func byteCount() -> Int { rows.values.reduce(0) { $0 + $1.count } }
  func row(_ id: UInt64) -> [UInt8]? { rows[id] }
  func eachRowID(_ body: (UInt64) -> Void) { rows.keys.sorted().forEach(body) }
  func put(_ sealed: [UInt8], under id: UInt64) { rows[id] = sealed }
  func remove(_ id: UInt64) { rows[id] = nil }
  func put(head sealed: [UInt8]) {}
}
