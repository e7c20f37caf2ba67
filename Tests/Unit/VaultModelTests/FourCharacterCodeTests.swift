import Testing

@testable import VaultModel

@Suite("FourCharacterCode")
struct FourCharacterCodeTests {
  @Test(
    "text and number are one code",
    arguments: [
      ("http", 0x6874_7470), ("ftp ", 0x6674_7020), ("aapl", 0x6161_706C), ("    ", 0x2020_2020),
      ("~~~~", 0x7E7E_7E7E), ("", 0),
    ] as [(String, UInt32)])
  func both(text: String, number: UInt32) throws {
    #expect(try FourCharacterCode(text).rawValue == number)
    #expect(FourCharacterCode(rawValue: number).description == text)
  }

  @Test(
    "short text is padded with blanks",
    arguments: [("ftp", "ftp "), ("ab", "ab  "), ("x", "x   ")])
  func padding(short: String, padded: String) throws {
    #expect(try FourCharacterCode(short) == FourCharacterCode(padded))
  }

  @Test(
    "what is not printable ASCII of at most four characters is an invalid argument",
    arguments: ["https", "     ", "a\0", "\0", "ü", "abü", "\n", "ab\u{7F}", "\u{E9}a"])
  func refused(text: String) {
    #expect(throws: VaultError(.invalidArgument, "")) { try FourCharacterCode(text) }
  }

  @Test("a number that is not printable is shown in hexadecimal")
  func hexadecimal() {
    #expect(FourCharacterCode(rawValue: 1).description == "0x00000001")
    #expect(FourCharacterCode(rawValue: 0x6874_7400).description == "0x68747400")
    #expect(FourCharacterCode(rawValue: .max).description == "0xffffffff")
  }
}
