import Testing
@testable import VaultModel

@Suite("AuthenticationMethod")
struct AuthenticationMethodTests {
  /// Written from Apple's header, independently of the table under test.
  static let rows: [(AuthenticationMethod, name: String, code: String, isPassword: Bool)] = [
    (.default, "default", "dflt", true), (.basic, "basic", "http", true),
    (.digest, "digest", "httd", true), (.ntlm, "ntlm", "ntlm", true),
    (.negotiate, "negotiate", "nego", true), (.form, "form", "form", true),
    (.msn, "msn", "msna", true), (.dpa, "dpa", "dpaa", true), (.rpa, "rpa", "rpaa", true),
    (.bearer, "bearer", "bear", false),
    (.clientCertificate, "client-certificate", "cert", false),
    (.serverTrust, "server-trust", "trst", false),
  ]

  @Test("every method has its name, code and kind", arguments: rows)
  func table(method: AuthenticationMethod, name: String, code: String, isPassword: Bool) throws {
    let number = try FourCharacterCode(code).rawValue
    #expect(method.rawValue == name)
    #expect(method.description == name)
    #expect(method.isPassword == isPassword)
    #expect(method.fourCharacterCode == number)
    #expect(AuthenticationMethod(fourCharacterCode: number) == method)
    for spelling in [name, name.uppercased(), code, code.uppercased()] {
      #expect(try AuthenticationMethod(spelling) == method)
    }
  }

  @Test("the table and this one have the same rows")
  func complete() {
    #expect(AuthenticationMethod.table.map(\.method).count == Self.rows.count)
    #expect(Set(AuthenticationMethod.table.map(\.method)) == Set(Self.rows.map(\.0)))
    #expect(Set(AuthenticationMethod.table.map(\.code)).count == Self.rows.count)
  }

  @Test(
    "Foundation's and Apple's names fold",
    arguments: [
      ("NSURLAuthenticationMethodDefault", AuthenticationMethod.default),
      ("NSURLAuthenticationMethodHTTPBasic", .basic),
      ("NSURLAuthenticationMethodHTTPDigest", .digest),
      ("NSURLAuthenticationMethodHTMLForm", .form), ("NSURLAuthenticationMethodNTLM", .ntlm),
      ("NSURLAuthenticationMethodNegotiate", .negotiate),
      ("NSURLAuthenticationMethodClientCertificate", .clientCertificate),
      ("NSURLAuthenticationMethodServerTrust", .serverTrust), ("HTTPBasic", .basic),
      ("HTTPDigest", .digest), ("HTMLForm", .form), ("Basic", .basic), ("Bearer", .bearer),
      ("", .unset),
    ])
  func aliases(name: String, expected: AuthenticationMethod) throws {
    #expect(try AuthenticationMethod(name) == expected)
  }

  @Test("an unknown method is kept in lower case", arguments: ["HOBA", "AWS4-HMAC-SHA256", "x!"])
  func unknown(name: String) throws {
    let method = try AuthenticationMethod(name)
    #expect(method.rawValue == name.lowercased())
    #expect(method.fourCharacterCode == nil)
    #expect(!method.isPassword)
  }

  @Test(
    "what is no token is an invalid argument",
    arguments: [
      " ", "basic ", " basic", "ba sic", "a,b", "a=b", "\"a\"", "a/b", "\0", "ü", "a\tb",
      String(repeating: "a", count: 65),
    ])
  func refused(name: String) {
    #expect(throws: VaultError(.invalidArgument, "")) { try AuthenticationMethod(name) }
  }

  @Test("the code 0 is unset, which is no password method, and an unknown code is none")
  func codes() {
    #expect(AuthenticationMethod(fourCharacterCode: 0) == .unset)
    #expect(AuthenticationMethod.unset.fourCharacterCode == 0)
    #expect(!AuthenticationMethod.unset.isPassword)
    #expect(AuthenticationMethod(fourCharacterCode: 0x6162_6364) == nil)
    #expect(AuthenticationMethod(fourCharacterCode: 0x746C_6664) == nil, "'dflt' swapped")
  }

  @Test("names that are only canonically equivalent are different methods")
  func bytes() {
    let methods = ["\u{E9}", "e\u{301}"].map { AuthenticationMethod(rawValue: $0) }
    #expect(methods[0] != methods[1])
    #expect(Set(methods).count == 2)
  }
}

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
