/// What a file was before the transaction that its journal waits to take back.
///
/// SQLite would write that into the file; a salvage writes nothing there. Source:
/// <https://sqlite.org/fileformat2.html#the_rollback_journal>.
enum JournalImage {
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  private static let pageSize = 4096

  /// The file's bytes with the journal's pages put back; as they are if the journal is not one that counts.
  static func restored(_ file: [UInt8], journal: [UInt8]) -> [UInt8] {
    var file = file
    var start = 0
    while let header = Header(journal, at: start), header.pageSize == pageSize {
      if start == 0, header.fileSize < file.count { file.removeSubrange(header.fileSize...) }
      var position = start + header.sectorSize
      for _ in 0..<header.count(in: journal, from: position) {
        guard restore(&file, journal, at: position, header.nonce) else { return file }
        position += pageSize + 8
      }
      // A transaction that was synced more than once has another header at the next sector.
      let next = (position + header.sectorSize - 1) / header.sectorSize * header.sectorSize
      guard next > start else { break }
      start = next
    }
    return file
  }

  private struct Header {
    let recordCount: Int
    let nonce: Int
    let fileSize: Int
    let sectorSize: Int
    let pageSize: Int

    init?(_ journal: [UInt8], at start: Int) {
      guard start + 28 <= journal.count, journal[start..<start + 8].elementsEqual(magic) else {
        return nil
      }
      let numbers = (0..<5).map { JournalImage.number(journal, at: start + 8 + 4 * $0) }
      (recordCount, nonce, sectorSize, pageSize) = (numbers[0], numbers[1], numbers[3], numbers[4])
      fileSize = numbers[2] * JournalImage.pageSize
      guard (28...65_536).contains(sectorSize) else { return nil }
    }

    /// How many pages follow; a journal that was never synced says "all there are".
    func count(in journal: [UInt8], from position: Int) -> Int {
      let most = max(0, journal.count - position) / (JournalImage.pageSize + 8)
      return min(recordCount, most)
    }
  }

  private static func number(_ bytes: [UInt8], at offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Puts one page back; false where the journal ends or is torn.
  private static func restore(
    _ file: inout [UInt8], _ journal: [UInt8], at position: Int, _ nonce: Int
  ) -> Bool {
    let page = journal[position + 4..<position + 4 + pageSize]
    var sum = nonce
    for offset in stride(from: pageSize - 200, to: 0, by: -200) {
      sum += Int(page[page.startIndex + offset])
    }
    let place = (number(journal, at: position) - 1) * pageSize
    guard number(journal, at: position + 4 + pageSize) == sum & 0xFFFF_FFFF, place >= 0,
      place <= file.count
    else { return false }
    if place + pageSize > file.count {
      file.removeSubrange(place...)
      file += page
    } else {
      file.replaceSubrange(place..<place + pageSize, with: page)
    }
    return true
  }
}
