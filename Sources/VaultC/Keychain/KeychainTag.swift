import CVault
import KeychainServices
import VaultModel

/// An attribute as the keychain names it.
enum KeychainTag: Hashable {
  case attribute(Attribute)
  /// Attributes of Apple's class that vaults do not keep: they are always unset.
  case scriptCode, customIcon, protectedData, alias

  /// Reads a tag; 7 and 8 are the numbers of the label and the alias in Apple's file.
  ///
  /// - Throws: ``VaultError/Code/noSuchAttribute`` if items of the class do not have it.
  init(_ tag: VaultItemAttr, of itemClass: ItemClass) throws(VaultError) {
    switch Int(tag) {
    case kVaultScriptCodeItemAttr: self = .scriptCode
    case kVaultCustomIconItemAttr: self = .customIcon
    case kVaultProtectedDataItemAttr: self = .protectedData
    case kVaultAlias, 8: self = .alias
    case 7: self = .attribute(.label)
    default:
      let code = FourCharacterCode(rawValue: tag).description
      let known = Attribute.all.first { $0.keychainCode == code }
      guard let attribute = known, attribute.isOf(itemClass) else {
        throw VaultError(.noSuchAttribute, "an attribute that items of the class do not have")
      }
      self = .attribute(attribute)
    }
  }

  /// Whether its value is a number of 1, 2 or 4 bytes; an authentication type is the bytes of its
  /// code.
  var isNumber: Bool {
    switch self {
    case .attribute(let attribute):
      switch attribute.form {
      case .networkProtocol, .port, .code, .flag: true
      default: false
      }
    case .scriptCode, .customIcon: true
    case .protectedData, .alias: false
    }
  }

  /// Whether it is part of the key.
  var isOfKey: Bool {
    if case .attribute(let attribute) = self { attribute.isOfKey } else { false }
  }
}

extension Item {
  /// Returns the attribute's value in the keychain's format; empty if unset.
  ///
  /// Protocol, authentication type and port are never empty, because Apple's file stores a 0 for
  /// them, and programs read the value without checking the length.
  func keychainValue(_ tag: KeychainTag) -> [UInt8] {
    guard case .attribute(let attribute) = tag else { return [] }
    switch attribute.form {
    case .networkProtocol: return bytes(self.protocol.keychainCode)
    case .method: return bytes(authenticationMethod.keychainType)
    case .port: return bytes(UInt32(port))
    default:
      return switch self[attribute] {
      case .text(let text): Array(text.utf8)
      case .number(let number): bytes(number)
      case .flag: bytes(1)
      case .time(let time): time.keychainDate
      case .data(let bytes): bytes
      case .secret, .custom, nil: []
      }
    }
  }

  /// Returns the 4 bytes of a number in the machine's order.
  private func bytes(_ number: UInt32) -> [UInt8] {
    // A view of the number's own bytes, copied while it is valid.
    unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
  }
}

extension ItemClass {
  /// Reads the keychain's code of a class.
  ///
  /// - Throws: ``VaultError/Code/noSuchClass``.
  init(keychain code: VaultItemClass) throws(VaultError) {
    switch Int(code) {
    case kVaultInternetPasswordItemClass: self = .internetPassword
    case kVaultGenericPasswordItemClass: self = .genericPassword
    default: throw VaultError(.noSuchClass, "vaults have internet and generic passwords")
    }
  }

  /// The keychain's code.
  var keychainClass: VaultItemClass {
    switch self {
    case .internetPassword: VaultItemClass(kVaultInternetPasswordItemClass)
    case .genericPassword: VaultItemClass(kVaultGenericPasswordItemClass)
    }
  }
}

extension Timestamp {
  /// The time in the keychain's format: the 16 bytes of `YYYYMMDDhhmmssZ` and NUL, in UTC.
  ///
  /// Fractions of a second are dropped, and a year without four digits becomes the nearest one with
  /// four.
  var keychainDate: [UInt8] {
    let first: Int64 = -62_167_219_200_000  // 0000-01-01T00:00:00Z
    let last: Int64 = 253_402_300_799_999  // 9999-12-31T23:59:59.999Z
    let moment = Timestamp(milliseconds: min(max(milliseconds, first), last))
    let digits = moment.rfc3339.utf8.prefix(19).filter {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
    }
    return digits + [UInt8(ascii: "Z"), 0]
  }
}
