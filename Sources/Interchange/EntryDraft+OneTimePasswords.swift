import SecureMemory
import VaultModel

// The key of an entry's one-time passwords, which formats have in places of their own, and people
// among their addresses, notes and fields.
extension EntryDraft {
  package static let oneTimePassword = "one-time password"
  private static let names: Set<String> = [
    oneTimePassword, "otp", "totp", "otpauth", "totp key", "totp key$",
  ]

  /// Takes a secret as the key of one-time passwords, if it is one and the entry has none yet.
  mutating func takeOneTimePasswordKey(_ name: String, _ value: Secret) -> Bool {
    guard oneTimePasswordKey == nil, value.count <= Attribute.oneTimePasswordKey.longest else {
      return false
    }
    let isKey = value.withRawBytes { bytes in
      Self.isKeyAddress(bytes)
        // A sentence around an address is no key.
        || Self.names.contains(name.lowercasedASCII) && !Bytes.contains(bytes, "otpauth://")
    }
    if isKey { oneTimePasswordKey = value }
    return isKey
  }

  /// Returns whether a text is the address of a one-time password.
  static func isKeyAddress(_ bytes: RawSpan) -> Bool {
    let bytes = bytes.extracting(Bytes.trimmed(bytes))
    guard let colon = Bytes.firstIndex(of: UInt8(ascii: ":"), in: bytes) else { return false }
    return Bytes.textOrNil(bytes.extracting(0..<colon))?.lowercasedASCII == "otpauth"
  }

  /// Returns whether an address is, or has somewhere in it, that of a one-time password, whose key
  /// must not become text.
  static func isOneTimePassword(_ bytes: RawSpan, _ parts: AddressParts) -> Bool {
    let scheme = parts.scheme.flatMap { Bytes.textOrNil(bytes.extracting($0)) }?.lowercasedASCII
    switch scheme {
    // Of these no text is kept but the host and the path.
    case "http", "https": return false
    case "otpauth": return true
    default: return Bytes.contains(bytes, "otpauth://")
    }
  }
}
