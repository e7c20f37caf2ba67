import SecureMemory
import VaultModel

/// The key of one-time passwords in the fields of KeePass 2.47 and of its plug-in KeeTrayTOTP,
/// written as one `otpauth:` address.
struct KeePassOneTimePassword: ~Copyable {
  private static let seeds: Set<String> = ["TimeOtp-Secret-Base32", "TOTP Seed"]
  private let hasSeed: Bool
  private var address = SecretBuffer()

  /// Creates it for an entry's strings.
  init(_ strings: [(key: String, value: Secret, isProtected: Bool)]) {
    hasSeed = strings.contains { Self.seeds.contains($0.key) && Self.isPlain($0.value) }
    append("otpauth://totp/?issuer=")
  }

  /// The address, after all strings were offered to it; nil if none of them is a key.
  var key: Secret? { hasSeed ? address.secret(0..<address.count) : nil }

  /// Takes a string that belongs to the key, and returns whether it does.
  mutating func take(_ name: String, _ value: Secret) -> Bool {
    guard hasSeed else { return false }
    if name == "TOTP Settings" { return takeSettings(value) }
    guard Self.isPlain(value) else { return false }
    if Self.seeds.contains(name) {
      append("&secret=", value)
    } else if name == "TimeOtp-Length" {
      append("&digits=", value)
    } else if name == "TimeOtp-Period" {
      append("&period=", value)
    } else if name == "TimeOtp-Algorithm" {
      // HMAC-SHA-256.
      append("&algorithm=", value.withRawBytes { Secret(copying: $0.extracting(droppingFirst: 5)) })
    } else {
      return false
    }
    return true
  }

  /// Takes `30;6`, the seconds and the number of digits, or an S for Steam's alphabet.
  private mutating func takeSettings(_ value: Secret) -> Bool {
    let parts = value.withRawBytes { Bytes.textOrNil($0) }?.split(separator: ";") ?? []
    guard parts.count >= 2, Int(parts[0]) != nil, parts[1] == "S" || Int(parts[1]) != nil else {
      return false
    }
    append("&period=", Secret(String(parts[0])))
    append(parts[1] == "S" ? "&encoder=steam" : "&digits=\(parts[1])")
    return true
  }

  /// Returns whether a value stands in an address as it is.
  private static func isPlain(_ value: Secret) -> Bool {
    value.withRawBytes { bytes in
      (0..<bytes.byteCount).allSatisfy { index in
        let byte = Bytes.at(bytes, index)
        return byte.isLetter || byte.isDigit || " -=;".utf8.contains(byte)
      }
    }
  }

  private mutating func append(_ name: String, _ value: Secret = Secret("")) {
    // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
    unsafe address.append(name.utf8.span.bytes)
    value.withRawBytes { address.append($0) }
  }
}
