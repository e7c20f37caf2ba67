import CCrypto
import SecureMemory
import VaultModel

/// Base64 by libcrypto, which reads and writes in the memory of the caller only.
enum Base64 {
  /// Returns the bytes of a text without blanks; nil if it is malformed.
  static func bytes(of text: Secret) -> Secret? {
    guard text.count % 4 == 0, text.count > 0 else { return nil }
    let padding = (1...2).prefix { text[text.count - $0] == UInt8(ascii: "=") }.count
    var written: Int32 = -1
    // It writes three bytes for four.
    let decoded = unsafe Secret(count: text.count / 4 * 3) { memory in
      let target = unsafe memory.bindMemory(to: UInt8.self).baseAddress
      written = unsafe text.withOctets {
        unsafe EVP_DecodeBlock(target, $0.baseAddress, Int32($0.count))
      }
    }
    // The padding counts as zeros.
    guard Int(written) == decoded.count else { return nil }
    return decoded.prefix(decoded.count - padding)
  }

  /// Returns the text of bytes.
  static func text(of bytes: Secret) -> Secret {
    let count = (bytes.count + 2) / 3 * 4
    // It writes four characters for three bytes, and a NUL.
    let text = unsafe Secret(count: count + 1) { memory in
      let target = unsafe memory.bindMemory(to: UInt8.self).baseAddress
      unsafe bytes.withOctets {
        _ = unsafe EVP_EncodeBlock(target, $0.baseAddress, Int32($0.count))
      }
    }
    return text.prefix(count)
  }

  /// Returns the text of public bytes.
  static func text(of bytes: [UInt8]) -> String {
    let text = text(of: Secret(copying: bytes.span))
    return String(decoding: text.octets(0..<text.count), as: UTF8.self)
  }
}
