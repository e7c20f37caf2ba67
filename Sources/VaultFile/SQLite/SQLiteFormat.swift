import VaultModel

/// The first 100 bytes of an SQLite file.
///
/// Source: <https://sqlite.org/fileformat2.html#the_database_header>.
package struct SQLiteHeader: Equatable {
  private static let magic = Array("SQLite format 3\0".utf8)
  static let applicationID: UInt32 = 0x564C_5431

  private var bytes = [UInt8](repeating: 0, count: 100)

  /// Gives the 100 bytes to be filled.
  @unsafe mutating func withUnsafeMutableBytes<R>(
    _ body: (UnsafeMutableRawBufferPointer) -> R
  ) -> R {
    unsafe bytes.withUnsafeMutableBytes { unsafe body($0) }
  }

  private func bigEndian(at offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Moves with every commit of any process, as long as the file has a rollback journal.
  var changeCounter: UInt32 { bigEndian(at: 24) }
  var pageCount: UInt32 { bigEndian(at: 28) }
  var schemaCookie: UInt32 { bigEndian(at: 40) }
  package var userVersion: UInt32 { bigEndian(at: 60) }
  var isEmpty: Bool { bytes.allSatisfy { $0 == 0 } }
  package var hasMagic: Bool { bytes.starts(with: Self.magic) }
  package var isOurs: Bool { bigEndian(at: 68) == Self.applicationID }

  /// Bytes 16 and 17; 1 stands for 65536, which no vault has either.
  var hasPageSize: Bool { bytes[16] == 0x10 && bytes[17] == 0 }

  /// Bytes 18 and 19 name the journal: in a WAL commits would not move the change counter.
  var hasRollbackJournal: Bool { bytes[18] == 1 && bytes[19] == 1 }
}

/// SQLite's own number of 1 to 9 bytes, highest first, which no other part of a vault uses.
///
/// Source: <https://sqlite.org/fileformat2.html#varint>.
package enum SQLiteVarint {
  /// Reads one where `position` is, and goes on behind it; nil if the bytes end before it does.
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
