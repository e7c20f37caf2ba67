package import CredentialVault
package import SecureMemory
package import VaultModel

/// A value of the dictionaries that the keychain's interface takes and returns, in no language's
/// own types.
package enum KeychainValue: Sendable {
  case text(String)
  /// Bytes that are not secret.
  case data([UInt8])
  /// The bytes of an item's secret; a caller copies them to its own type at the last moment.
  case secret(Secret)
  case number(Int64)
  case flag(Bool)
  case date(Timestamp)
  case array([KeychainValue])
  case dictionary([String: KeychainValue])
  case item(KeychainItemReference)
  /// A vault, in the place of Apple's keychain.
  case vault(Vault)
  /// An access list, which may ask a person each time.
  case access(asksEachTime: Bool)
  /// A value of any other type, which only keys without effect take.
  case other
}

extension KeychainValue {
  /// Returns the value as text; data are its UTF-8 form.
  func text(_ key: String) throws(VaultError) -> String {
    switch self {
    case .text(let text): return text
    case .data(let bytes):
      guard let text = String(validating: bytes, as: UTF8.self) else { throw invalid(key) }
      return text
    default: throw invalid(key)
    }
  }

  /// Returns the value as bytes; text is its UTF-8 form.
  func bytes(_ key: String) throws(VaultError) -> [UInt8] {
    switch self {
    case .data(let bytes): return bytes
    case .text(let text): return Array(text.utf8)
    default: throw invalid(key)
    }
  }

  /// Returns the value as a number; a flag is 0 or 1, and digits are read.
  func number(_ key: String) throws(VaultError) -> Int64 {
    switch self {
    case .number(let number): return number
    case .flag(let isSet): return isSet ? 1 : 0
    case .text(""): return 0
    case .text(let digits) where digits.utf8.allSatisfy(\.isDigit):
      guard let number = Int64(digits) else { throw invalid(key) }
      return number
    default: throw invalid(key)
    }
  }

  /// Returns the value as a flag; a number sets it unless it is 0.
  func flag(_ key: String) throws(VaultError) -> Bool {
    if case .flag(let isSet) = self { return isSet }
    return try number(key) != 0
  }

  /// Returns the elements of an array.
  func array(_ key: String) throws(VaultError) -> [KeychainValue] {
    guard case .array(let values) = self else { throw invalid(key) }
    return values
  }

  /// Returns the value as a secret; text is none, as in Apple's interface.
  func secret(_ key: String) throws(VaultError) -> Secret {
    switch self {
    case .secret(let secret): return secret
    case .data(let bytes): return Secret(copying: bytes.span)
    default: throw invalid(key)
    }
  }

  /// Returns the error for a value of the wrong type, or out of bounds; it names the key alone.
  func invalid(_ key: String) -> VaultError {
    VaultError(.invalidArgument, "\(key): not a value of this key")
  }
}
