/// The file as it was before the transaction that its journal will roll back.
///
/// SQLite would write that into the file. A salvage writes nothing there; it reads the journal's
/// pages instead of the file's. Source: <https://sqlite.org/fileformat2.html#the_rollback_journal>.
struct JournalImage {
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  private static let pageSize = RawFile.pageSize

  /// The file's size in bytes.
  private(set) var byteCount: Int
  /// The offset of each page's content in the journal, by the page's number from 0.
  private(set) var places: [Int: Int] = [:]

  /// Creates the image of the file itself.
  init(byteCount: Int) {
    self.byteCount = byteCount
  }

  /// Creates the image of the file with its journal's pages; that of the file itself if the journal
  /// is not valid.
  ///
  /// - Parameters:
  ///   - byteCount: The current size of the file.
  ///   - header: The current first bytes of the file.
  ///   - journal: Returns up to that many bytes of the journal from an offset.
  init(
    byteCount: Int, header: [UInt8], journal: (_ offset: Int, _ count: Int) -> [UInt8]
  ) {
    self.byteCount = byteCount
    replay(journal)
    guard let says = Header(journal(0, 28)), says.pageSize == Self.pageSize else { return }
    let first = places[0].map { journal($0, 32) } ?? header
    // A journal that truncates the file below its own page count is not a vault's: opening also
    // refuses it.
    guard first.count >= 32, says.fileSize >= Self.number(first, at: 28) * Self.pageSize
    else { return }
    self.byteCount = min(self.byteCount, says.fileSize)
  }

  private mutating func replay(_ journal: (_ offset: Int, _ count: Int) -> [UInt8]) {
    var start = 0
    while let header = Header(journal(start, 28)), header.pageSize == Self.pageSize {
      var position = start + header.sectorSize
      // A journal that was never synced says "all records".
      var rest = header.recordCount
      while rest > 0, restore(journal(position, Self.pageSize + 8), at: position, header.nonce) {
        position += Self.pageSize + 8
        rest -= 1
      }
      // A transaction that was synced more than once has another header at the next sector.
      guard rest == 0 else { return }
      let next = (position + header.sectorSize - 1) / header.sectorSize * header.sectorSize
      guard next > start else { break }
      start = next
    }
  }

  private struct Header {
    let recordCount: Int
    let nonce: Int
    let fileSize: Int
    let sectorSize: Int
    let pageSize: Int

    init?(_ bytes: [UInt8]) {
      guard bytes.count == 28, bytes.starts(with: magic) else { return nil }
      let numbers = (0..<5).map { JournalImage.number(bytes, at: 8 + 4 * $0) }
      (recordCount, nonce, sectorSize, pageSize) = (numbers[0], numbers[1], numbers[3], numbers[4])
      fileSize = numbers[2] * JournalImage.pageSize
      guard (28...65_536).contains(sectorSize) else { return nil }
    }
  }

  private static func number(_ bytes: [UInt8], at offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Restores one page; returns false at the end of the journal or at a torn record.
  private mutating func restore(_ record: [UInt8], at position: Int, _ nonce: Int) -> Bool {
    guard record.count == Self.pageSize + 8 else { return false }
    var sum = nonce
    for offset in stride(from: Self.pageSize - 200, to: 0, by: -200) {
      sum += Int(record[4 + offset])
    }
    let page = Self.number(record, at: 0) - 1
    guard Self.number(record, at: 4 + Self.pageSize) == sum & 0xFFFF_FFFF, page >= 0,
      page * Self.pageSize <= byteCount
    else { return false }
    places[page] = position + 4
    byteCount = max(byteCount, (page + 1) * Self.pageSize)
    return true
  }
}
