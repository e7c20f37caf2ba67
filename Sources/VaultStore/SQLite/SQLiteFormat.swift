import VaultModel

/// The first 100 bytes of an SQLite file.
///
/// Source: <https://sqlite.org/fileformat2.html#the_database_header>.
package struct SQLiteHeader: Equatable {
  private static let magic = Array("SQLite format 3\0".utf8)
  static let applicationID: UInt32 = 0x564C_5431

  private var bytes = [UInt8](repeating: 0, count: 100)

  /// Calls `body` with the 100 bytes to fill.
  @unsafe mutating func withUnsafeMutableBytes<R>(
    _ body: (UnsafeMutableRawBufferPointer) -> R
  ) -> R {
    unsafe bytes.withUnsafeMutableBytes { unsafe body($0) }
  }

  private func bigEndian(at offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  var pageCount: UInt32 { bigEndian(at: 28) }
  package var userVersion: UInt32 { bigEndian(at: 60) }
  var isEmpty: Bool { bytes.allSatisfy { $0 == 0 } }
  package var hasMagic: Bool { bytes.starts(with: Self.magic) }
  package var isOurs: Bool { bigEndian(at: 68) == Self.applicationID }

  /// Whether bytes 16 and 17 have a vault's page size; 1 stands for 65536, which no vault has
  /// either.
  var hasPageSize: Bool { bytes[16] == 0x10 && bytes[17] == 0 }

  /// Whether bytes 18 and 19 name a rollback journal: in WAL mode, commits would not change the
  /// change counter.
  var hasRollbackJournal: Bool { bytes[18] == 1 && bytes[19] == 1 }
}

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
