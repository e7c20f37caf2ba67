package import VaultModel

/// The names that are stored for four-character codes unknown to the library.
///
/// No two codes share a name, so an item stored under one is found under it alone. `xyz ` is stored
/// as `xyz`; a code with anything but small letters, digits and padding, such as `WDAV`, as
/// `code-57444156`.
enum KeychainCode {
  private static let prefix = "code-"

  static func name(of code: UInt32) -> String {
    let text = FourCharacterCode(rawValue: code).description
    let letters = text.prefix { $0 != " " }
    let isPadded = text.dropFirst(letters.count).allSatisfy { $0 == " " }
    guard isPadded, let first = letters.first, isLetter(first),
      letters.allSatisfy({ isLetter($0) || ("0"..."9").contains($0) }), !isTaken(String(letters))
    else {
      return prefix + String(hexadecimal: code)
    }
    return String(letters)
  }

  /// Returns the code with this name; nil if there is none.
  static func code(named name: String) -> UInt32? {
    var code: UInt32?
    if name.hasPrefix(prefix) {
      code = UInt32(name.dropFirst(prefix.count), radix: 16)
    } else {
      do throws(VaultError) {
        code = try FourCharacterCode(name).rawValue
      } catch {
        return nil
      }
    }
    guard let code, self.name(of: code) == name else { return nil }
    return code
  }

  /// Returns whether a name already belongs to another code: `dpa` to `dpaa`.
  private static func isTaken(_ name: String) -> Bool {
    NetworkProtocol(rawValue: name).fourCharacterCode != nil
      || AuthenticationMethod(rawValue: name).fourCharacterCode != nil
  }

  private static func isLetter(_ character: Character) -> Bool { ("a"..."z").contains(character) }
}

extension NetworkProtocol {
  /// Creates the protocol of any keychain code; 0 is unset.
  package init(keychainCode code: UInt32) {
    self = Self(fourCharacterCode: code) ?? Self(rawValue: KeychainCode.name(of: code))
  }

  /// The keychain's code; 0 if unset, and for a protocol without a code.
  package var keychainCode: UInt32 {
    if let code = fourCharacterCode { return code }
    guard let code = KeychainCode.code(named: rawValue), Self(keychainCode: code) == self else {
      return 0
    }
    return code
  }
}

extension AuthenticationMethod {
  /// Creates the method of any authentication type, whose bytes in memory spell its code; 0 is
  /// unset.
  package init(keychainType type: UInt32) {
    let code = UInt32(bigEndian: type)
    self = Self(fourCharacterCode: code) ?? Self(rawValue: KeychainCode.name(of: code))
  }

  /// The authentication type, whose bytes in memory spell its code; 0 if unset, and for a method
  /// without a code.
  package var keychainType: UInt32 {
    if let code = fourCharacterCode { return code.bigEndian }
    guard let code = KeychainCode.code(named: rawValue) else { return 0 }
    return Self(keychainType: code.bigEndian) == self ? code.bigEndian : 0
  }
}
