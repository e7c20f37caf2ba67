/// A rollback journal, by <https://sqlite.org/fileformat2.html#the_rollback_journal>.
struct JournalBytes {
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  private static let nonce = 7
  private(set) var bytes: [UInt8]

  /// Creates the journal of a file that had so many pages.
  init(pageCount: Int, recordCount: Int) {
    bytes = Self.magic + [recordCount, Self.nonce, pageCount, 512, 4096].flatMap(Self.bigEndian)
    bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// Adds a page, by its number from 1; a torn one has another checksum.
  mutating func append(_ page: [UInt8], number: Int, isTorn: Bool = false) {
    let sum = stride(from: 3896, to: 0, by: -200).reduce(Self.nonce) { $0 + Int(page[$1]) }
    bytes += Self.bigEndian(number) + page + Self.bigEndian(isTorn ? sum + 1 : sum)
  }
}
