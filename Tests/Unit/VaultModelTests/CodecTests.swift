import SecureMemory
import Testing

@testable import VaultModel

@Suite("Codecs")
struct CodecTests {
  @Test("hexadecimal digits of bytes, and of numbers with their zeros")
  func hexadecimal() {
    #expect(String(hexadecimal: [0x00, 0x9A, 0xFF]) == "009aff")
    #expect(String(hexadecimal: UInt8(0x0A)) == "0a")
    #expect(String(hexadecimal: UInt16(0x85)) == "0085")
    #expect(String(hexadecimal: UInt32(0)) == "00000000")
    #expect((UInt8(0)..<16).allSatisfy { $0.hexadecimalDigit.hexadecimalValue == $0 })
    #expect([UInt8](hexadecimal: "009aFF") == [0x00, 0x9A, 0xFF])
    #expect([UInt8](hexadecimal: "") == [])
    for text in ["0", "009", "0g", "0x", " 00", "0０"] {
      #expect([UInt8](hexadecimal: text) == nil)
    }
  }

  @Test("bits beyond the last byte are refused, unless they may be there")
  func stray() {
    #expect(Base64.encode([0x61]) == "YQ==")
    #expect(Base64.bytes(of: Secret("YR==")) == nil)
    #expect(Base64.bytes(of: Secret("YR=="), isCanonical: false)?.isEqual(to: Secret("a")) == true)
    #expect(Base64.bytes(of: Secret("YWJ="), isCanonical: false)?.isEqual(to: Secret("ab")) == true)
    for text in ["Y===", "=YQ=", "YQ", "Y-=="] {
      #expect(Base64.bytes(of: Secret(text), isCanonical: false) == nil)
    }
  }

  @Test("percent-encoding is written in upper case, and undone once")
  func percent() throws {
    #expect(PercentEncoding.encode("a/\u{F}é", keeping: "/") == "a/%0F%C3%A9")
    #expect(PercentEncoding.encode("-._~+ *") == "-._~%2B%20%2A")
    #expect(try PercentEncoding.decode("%2541".utf8, part: "path") == Array("%41".utf8))
    #expect(throws: VaultError(.invalidArgument, "path: a % without two hexadecimal digits")) {
      _ = try PercentEncoding.decode("%4".utf8, part: "path")
    }
  }
}
