/// Rollback journals that somebody may put beside a vault.
///
/// Source: <https://sqlite.org/fileformat2.html#the_rollback_journal>.
package enum PlantedJournal {
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// The offsets of the numbers in a journal's header.
  package enum Field: Int, CaseIterable, Sendable {
    case pageCount = 16
    case sectorSize = 20
    case pageSize = 24
  }

  /// Returns the header of a transaction of no pages, which sets the file's length to the given
  /// count.
  package static func header(pageCount: UInt32) -> [UInt8] {
    let header = magic + [0, pageCount, 512, 4096].reduce(bigEndian(0)) { $0 + bigEndian($1) }
    return header + [UInt8](repeating: 0, count: 512 - header.count)
  }

  /// Returns a journal that names a further file, which SQLite deletes after replaying it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - journal: The rest of its content; nil for the header of a transaction of no pages.
  /// - Returns: The journal's bytes.
  package static func naming(_ path: String, after journal: [UInt8]? = nil) -> [UInt8] {
    let name = Array(path.utf8)
    let sum = name.reduce(0) { $0 &+ UInt32($1) }
    return (journal ?? header(pageCount: 4)) + bigEndian(1 << 30) + name
      + bigEndian(UInt32(name.count)) + bigEndian(sum) + magic
  }

  /// Returns a journal with another number in its header.
  package static func changed(_ journal: [UInt8], _ field: Field, to number: UInt32) -> [UInt8] {
    var journal = journal
    journal.replaceSubrange(field.rawValue..<field.rawValue + 4, with: bigEndian(number))
    return journal
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
