import Testing

@testable import VaultStore

@Suite("JournalImage")
struct JournalImageTests {
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  private func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  @Test("of a journal whose last page is torn, a salvage reads the pages before it")
  func torn() throws {
    let nonce = 7
    let page = (0..<4096).map { UInt8(truncatingIfNeeded: $0 / 100 + 1) }
    let sum = stride(from: 3896, to: 0, by: -200).reduce(nonce) { $0 + Int(page[$1]) }
    var journal = Self.magic + [2, nonce, 2, 512, 4096].flatMap(bigEndian)
    journal += [UInt8](repeating: 0, count: 512 - journal.count)
    journal += bigEndian(1) + page + bigEndian(sum)
    journal += bigEndian(2) + page + bigEndian(sum + 1)
    let image = JournalImage(byteCount: 8192, header: page) { offset, count in
      Array(journal.dropFirst(offset).prefix(count))
    }
    #expect(image.places == [0: 516])
  }
}
