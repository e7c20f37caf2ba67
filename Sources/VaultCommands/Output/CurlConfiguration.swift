import SecureMemory
import VaultModel

/// The line of curl's configuration that has a secret.
///
/// - Source: curl(1), `--config`: in quotation marks `\\`, `\"`, `\t`, `\n`, `\r` and `\v` are
///   escaped, and every other byte stands for itself.
enum CurlConfiguration {
  /// Returns the line with its line feed: `user = "ann:…"`, or `oauth2-bearer = "…"` for a token.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if there is no secret;
  ///   ``VaultError/Code/invalidData`` for a secret or account that curl cannot read.
  static func line(for item: Item) throws(VaultError) -> Secret {
    guard let secret = item.secret else {
      throw VaultError(.itemNotFound, "the item has no secret")
    }
    let isToken = item.secretKind == .token || item.authenticationMethod == .bearer
    guard isToken || !item.account.contains(":") else {
      throw VaultError(.invalidData, "curl takes no account with a colon")
    }
    return try line(isToken ? "oauth2-bearer" : "user", isToken ? "" : item.account + ":", secret)
  }

  static func line(
    _ name: String, _ start: String, _ secret: Secret
  ) throws(VaultError) -> Secret {
    var text = SecretBuffer(capacity: name.utf8.count + 2 * (start.utf8.count + secret.count) + 6)
    var hasNUL = false
    for byte in "\(name) = \"".utf8 { text.append(byte) }
    for byte in start.utf8 {
      if byte == 0 { hasNUL = true }
      append(byte, to: &text)
    }
    secret.withRawBytes { bytes in
      for index in 0..<bytes.byteCount {
        let byte = Bytes.at(bytes, index)
        if byte == 0 { hasNUL = true }
        append(byte, to: &text)
      }
    }
    for byte in "\"\n".utf8 { text.append(byte) }
    guard !hasNUL else { throw VaultError(.invalidData, "curl takes no NUL") }
    return text.secret(0..<text.count)
  }

  private static func append(_ byte: UInt8, to text: inout SecretBuffer) {
    let escaped: UInt8? =
      switch byte {
      case UInt8(ascii: "\\"), UInt8(ascii: "\""): byte
      case 0x09: UInt8(ascii: "t")
      case 0x0A: UInt8(ascii: "n")
      case 0x0B: UInt8(ascii: "v")
      case 0x0D: UInt8(ascii: "r")
      default: nil
      }
    if escaped != nil { text.append(UInt8(ascii: "\\")) }
    text.append(escaped ?? byte)
  }
}
