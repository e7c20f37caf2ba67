import CVault
import KeychainItems
import ProgramTesting
import Testing
import VaultModel

/// The constants of the dictionaries in C, against the one table of keys.
@Suite("Keychain: constants of SecItem")
struct ConstantTests {
  /// Returns the constants of the header, by their names.
  private static func constants() throws -> [String: String] {
    let header = try Project.text(of: "Sources/CVault/include/compat/Security/SecItem.h")
    let matches = header.matches(of: /#define (kSec\w+) CFSTR\("([^"]+)"\)/)
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
}
