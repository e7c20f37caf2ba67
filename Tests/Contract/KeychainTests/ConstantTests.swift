import CVault
import KeychainServices
import ProgramTesting
import Testing
import VaultModel

/// The constants of the dictionaries in C, against the one table of keys.
@Suite("Keychain: constants of SecItem")
struct ConstantTests {
  /// Returns the constants of the header, by their names.
  private static func constants() throws -> [String: String] {
    let header = try Project.text(of: "Sources/CVault/include/compat/Security/SecItem.h")
    let matches = header.matches(of: /VAULT_STRING\(\s*(kSec\w+), "([^"]+)"\)/)
    return Dictionary(
      matches.map { (String($0.1), String($0.2)) }, uniquingKeysWith: { "\($0), \($1)" })
  }

  @Test("every key has its constant, with the same text", arguments: KeychainKey.all.map(\.name))
  func keys(_ name: String) throws {
    let key = try #require(KeychainKey.all.first { $0.name == name })
    #expect(try Self.constants()[name] == key.key)
  }

  @Test("the constants of protocols and authentication types are their codes")
  func codes() throws {
    let constants = try Self.constants()
    let protocols = constants.filter { $0.key.hasPrefix("kSecAttrProtocol") && $0.value != "ptcl" }
    #expect(protocols.count == 31)
    for (name, code) in protocols {
      let known = NetworkProtocol(keychainCode: try FourCharacterCode(code).rawValue)
      #expect(known.fourCharacterCode != nil, "\(name)")
    }
    let types = constants.filter {
      $0.key.hasPrefix("kSecAttrAuthenticationType") && $0.value != "atyp"
    }
    #expect(types.count == 8)
    for (name, code) in types {
      let known = AuthenticationMethod(fourCharacterCode: try FourCharacterCode(code).rawValue)
      #expect(known != nil, "\(name)")
    }
  }

  /// Returns the constants of a text by their names.
  private static func numbers(
    _ text: String, _ pattern: Regex<(Substring, Substring, Substring)>
  ) -> [String: Int] {
    let matches = text.matches(of: pattern).map { (String($0.1), Int($0.2) ?? 1) }
    return Dictionary(matches, uniquingKeysWith: { first, _ in first })
  }

  @Test("C has every status of Apple's open header, and the library's have the same numbers")
  func statuses() throws {
    let apple = Self.numbers(
      try Project.text(of: "Sources/CVault/include/compat/Security/SecErrors.h"),
      /(errSec\w+) = (-?\d+),/)
    #expect(apple.count == 381)
    var own: [String: Int] = [:]
    for header in ["vault_keychain", "vault_sectrust"] {
      own.merge(
        Self.numbers(
          try Project.text(of: "Sources/CVault/include/\(header).h"), /(errVault\w+) = (-?\d+)/)
      ) { $1 }
    }
    #expect(own.count >= 50)
    for (name, number) in own {
      #expect(apple["errSec" + name.dropFirst("errVault".count)] == number, "\(name)")
    }
  }

  @Test("Swift has the same statuses")
  func swiftStatuses() throws {
    let apple = Self.numbers(
      try Project.text(of: "Sources/CVault/include/compat/Security/SecErrors.h"),
      /(errSec\w+) = (-?\d+),/)
    var found: [String: Int] = [:]
    for file in [
      "SecBase", "SecTrust", "SecErrors", "SecErrors+Modules", "SecErrors+Signing",
    ] {
      found.merge(
        Self.numbers(
          try Project.text(of: "Sources/SecurityConstants/\(file).swift"),
          /let (errSec\w+): OSStatus = (-?\d+)/)
      ) { $1 }
    }
    #expect(found == apple)
  }

  @Test("Swift and C name the same algorithms, also those that no key supports")
  func algorithms() throws {
    let header = try Project.text(of: "Sources/CVault/include/compat/Security/SecKey.h")
    let inC = Dictionary(
      uniqueKeysWithValues: header.matches(of: /kSecKeyAlgorithm(\w+),\s+"([^"]*)"\)/)
        .map { ($0.1.lowercased(), String($0.2)) })
    var inSwift: [String: String] = [:]
    for file in ["SecKey", "SecKey+Unsupported"] {
      let text = try Project.text(of: "Sources/SecurityConstants/\(file).swift")
      for match in text.matches(of: /let (\w+) = Self\(\s*"([^"]*)"\)/) {
        inSwift[match.1.lowercased()] = String(match.2)
      }
    }
    #expect(inSwift == inC && inC.count > 80)
  }
}
