/// SQLite's own variable-length number of 1 to 9 bytes, highest first, which no other part of a
/// vault uses.
///
/// Source: <https://sqlite.org/fileformat2.html#varint>.
package enum SQLiteVarint {
  /// Reads a number at `position` and moves behind it; returns nil if the bytes end too early.
  package static func read(_ bytes: [UInt8], _ position: inout Int) -> UInt64? {
    var number: UInt64 = 0
    for index in 0..<9 {
      guard bytes.indices.contains(position) else { return nil }
      let byte = bytes[position]
      position += 1
      if index == 8 { return number << 8 | UInt64(byte) }
      number = number << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 { return number }
    }
    return number
  }
}
