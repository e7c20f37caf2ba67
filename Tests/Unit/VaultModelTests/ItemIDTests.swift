import TestSupport
import Testing

@testable import VaultModel

@Suite("ItemID")
struct ItemIDTests {
  static let both: [(high: UInt64, low: UInt64, text: String)] = [
    (0, 0, "00000000000000000000000000"),
    (0, 1, "00000000000000000000000001"),
    (0, 31, "0000000000000000000000000z"),
    (0, 32, "00000000000000000000000010"),
    (.max, .max, "7zzzzzzzzzzzzzzzzzzzzzzzzz"),
    (1 << 63, 0, "40000000000000000000000000"),
    (1, 0, "0000000000000g000000000000"),
    (0, 1 << 63, "00000000000008000000000000"),
    // Python: the integer's base-32 digits, most significant first.
    (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, "014d2pf2dbsqqzxq5tk1v58cgg"),
  ]

  @Test("identities and their text are the same both ways", arguments: both)
  func text(high: UInt64, low: UInt64, text: String) throws {
    let id = ItemID(high: high, low: low)
    #expect(id.text == text)
    #expect(id.description == text)
    #expect(try ItemID(text: text) == id)
    #expect(try ItemID(text: text.uppercased()) == id)
  }

  @Test("random identities read back, sort as their text and have all their prefixes")
  func random() throws {
    var random = SplitMix(seed: 5)
    var previous = ItemID(using: &random)
    for _ in 0..<2000 {
      let id = ItemID(using: &random)
      #expect(id.text.utf8.count == 26)
      #expect(try ItemID(text: id.text) == id)
      #expect((id < previous) == (id.text < previous.text))
      for length in 0...26 { #expect(id.hasPrefix(String(id.text.prefix(length)))) }
      #expect(!id.hasPrefix(id.text + "0"))
      #expect(id.hasPrefix(previous.text) == (id == previous))
      previous = id
    }
  }

  @Test("a confusable letter is the digit that it looks like")
  func confusables() throws {
    let id = try ItemID(text: "011110000000000000000000ab")
    #expect(try ItemID(text: "oIl1iO00000000000000000OaB") == id)
    #expect(id.hasPrefix("OLi1L"))
    #expect(!id.hasPrefix("02"))
    #expect(!id.hasPrefix("u"))
    #expect(!id.hasPrefix(" "))
  }

  @Test(
    "what is no identity is an invalid argument",
    arguments: [
      "", "0", "0000000000000000000000000", "000000000000000000000000000",
      "80000000000000000000000000", "zzzzzzzzzzzzzzzzzzzzzzzzzz", "u0000000000000000000000000",
      "0000000000000000000000000u", "0000000000000-000000000000", " 0000000000000000000000000",
      "0000000000000000000000000\0", "000000000000000000000000ü", "0000000000000000000000000ü",
    ])
  func refused(text: String) {
    #expect(throws: VaultError(.invalidArgument, "")) { try ItemID(text: text) }
  }

  @Test("sixteen bytes are an identity, first byte highest, and no other number is")
  func bytes() throws {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]
    // SAFETY: the spans do not leave the scope of `bytes`.
    let id = unsafe try ItemID(bytes: bytes.span.bytes.extracting(0..<16))
    #expect(id == ItemID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10))
    for count in [0, 1, 15, 17] {
      #expect(throws: VaultError(.invalidData, "")) {
        // SAFETY: as above.
        unsafe try ItemID(bytes: bytes.span.bytes.extracting(0..<count))
      }
    }
  }

  @Test("new identities differ")
  func unique() {
    #expect(Set((0..<1000).map { _ in ItemID() }).count == 1000)
  }
}
