import SecureMemory
import Testing
@testable import VaultModel

@Suite("Text by its bytes")
struct StringBytesTests {
  static let texts = [
    "", "\0", "a", "a\0", "aa", "ab", "b", "caf\u{E9}", "cafe\u{301}", "caf\u{E9}s", "\u{FFFD}",
    "\u{10FFFF}", "fifteen bytes !", "sixteen bytes !!", "more than sixteen bytes", "\r\n", "\n",
  ]

  @Test("the order of two texts is the order of their bytes", arguments: texts, texts)
  func order(_ left: String, _ right: String) {
    let (a, b) = (Array(left.utf8), Array(right.utf8))
    let order = left.compareBytes(right)
    #expect((order < 0) == a.lexicographicallyPrecedes(b))
    #expect((order == 0) == (a == b))
    #expect(left.hasSameBytes(as: right) == (a == b))
    #expect((ByteText(text: left) == ByteText(text: right)) == (a == b))
    #expect((ByteText(text: left) < ByteText(text: right)) == a.lexicographicallyPrecedes(b))
  }

  @Test("names compare without the case of ASCII letters, and of no others")
  func ignoringCase() {
    #expect("WWW-Authenticate".hasSameBytesIgnoringCase(as: "www-aUTHENTICATE"))
    #expect("".hasSameBytesIgnoringCase(as: ""))
    for (left, right) in [("a", "b"), ("a", "aa"), ("@", "`"), ("[", "{"), ("\u{C9}", "\u{E9}")] {
      #expect(!left.hasSameBytesIgnoringCase(as: right))
    }
  }

  @Test("canonically equivalent texts are different values with different hashes")
  func equivalence() {
    let composed = "caf\u{E9}"
    let decomposed = "cafe\u{301}"
    #expect(composed == decomposed, "Swift's own comparison has changed")
    #expect(!composed.hasSameBytes(as: decomposed))
    #expect(Set([ByteText(text: composed), ByteText(text: decomposed)]).count == 2)
    #expect(ByteText(text: composed).hashValue != ByteText(text: decomposed).hashValue)
  }

  @Test("equal bytes hash alike whatever the string's storage is")
  func hash() {
    let literal = "a text of more than fifteen bytes"
    let heap = literal.split(separator: "x").joined(separator: "x")
    #expect(ByteText(text: literal).hashValue == ByteText(text: heap).hashValue)
  }

  @Test("only ASCII letters change their case")
  func lowercase() {
    #expect("@AZ[`az{ ÄŸİ\u{212A}".lowercasedASCII.hasSameBytes(as: "@az[`az{ ÄŸİ\u{212A}"))
    #expect("".lowercasedASCII.isEmpty)
  }

  @Test("a text is found by its bytes, whatever is drawn over them")
  func search() {
    let accent = "\u{301}"
    for (text, part, before) in [
      ("a: b", ": ", "a"), (": ", ": ", ""), ("a:: b", ": ", "a:"), ("it's", "", ""),
      ("'\(accent)x", "'", ""), ("\r\n", "\n", "\r"), ("aab", "ab", "a"),
    ] {
      #expect(text.firstRange(of: part).map { String(text[..<$0.lowerBound]) } == before)
      #expect(text.contains(part) && ("x" + text).dropFirst().contains(part))
    }
    for (text, part) in [("", "a"), ("a:b", ": "), ("aa", "aab"), ("caf\u{E9}", accent)] {
      #expect(text.firstRange(of: part) == nil && !text.contains(part))
    }
  }

  @Test("each occurrence is replaced, and none that a replacement made")
  func replacement() {
    #expect("a'b''".replacing("'", with: "''") == "a''b''''")
    #expect("'\u{301};".replacing("'", with: "q").hasSameBytes(as: "q\u{301};"))
    #expect("none".replacing("x", with: "y") == "none")
    #expect("".replacing("x", with: "y").isEmpty)
    #expect("aaa".replacing("aa", with: "") == "a")
  }
}

@Suite("Secret as bytes and as text")
struct SecretTextTests {
  private struct OwnError: Error {}

  @Test("bytes go in by a span, and come out by one")
  func bytes() {
    let bytes: [UInt8] = [0, 1, 0xFF]
    let read = Secret(copying: bytes.span).withBytes { span in
      span.indices.map { span[$0] }
    }
    #expect(read == bytes)
    let none: [UInt8] = []
    let empty = Secret(copying: none.span)
    #expect(empty.count == 0)
  }

  @Test("text goes in and comes out with the same bytes", arguments: ["", "pässword", "e\u{301}"])
  func text(_ text: String) throws {
    let isSame = try Secret(text).withUTF8String { Array($0.utf8) == Array(text.utf8) }
    #expect(isSame)
  }

  @Test("bytes that are no text are an error, which does not show them, and one's own passes")
  func noText() {
    let bytes: [UInt8] = [0x61, 0xC3]
    let secret = Secret(copying: bytes.span)
    let error = #expect(throws: VaultError.self) {
      try secret.withUTF8String { _ in Issue.record("it was called") }
    }
    #expect(error?.code == .invalidData && error?.context == "the secret is not UTF-8 text")
    #expect(throws: OwnError.self) { try Secret("a").withUTF8String { _ in throw OwnError() } }
  }
}
