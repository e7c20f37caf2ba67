import Testing

@testable import VaultStore

@Suite("JournalImage")
struct JournalImageTests {
  @Test("of a journal whose last page is torn, a salvage reads the pages before it")
  func torn() throws {
    let page = (0..<4096).map { UInt8(truncatingIfNeeded: $0 / 100 + 1) }
    var journal = JournalBytes(pageCount: 2, recordCount: 2)
    journal.append(page, number: 1)
    journal.append(page, number: 2, isTorn: true)
    let image = JournalImage(byteCount: 8192, header: page) { offset, count in
      Array(journal.bytes.dropFirst(offset).prefix(count))
    }
    #expect(image.places == [0: 516])
  }
}
