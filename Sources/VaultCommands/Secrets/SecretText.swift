import SecureMemory
import VaultModel
import VaultTerminal

/// Text forms of a secret, made in secret memory.
enum SecretText {
  /// Returns the inside of a JSON string (RFC 8259 §7), or nil if the secret is not UTF-8.
  static func jsonEscaped(_ secret: Secret) -> Secret? {
    guard isUTF8(secret) else { return nil }
    var text = SecretBuffer(capacity: secret.count)
    secret.withRawBytes { bytes in
      for index in 0..<bytes.byteCount {
        JSONText.escape(Bytes.at(bytes, index)) { text.append($0) }
      }
    }
    return text.secret(0..<text.count)
  }

  /// Returns whether the bytes are well-formed UTF-8.
  static func isUTF8(_ secret: Secret) -> Bool {
    secret.withRawBytes { Bytes.areUTF8($0) }
  }

  /// Returns whether the secret can be shown as one line of text: UTF-8 without control characters,
  /// including C1, and without characters that are invisible or change the direction of the
  /// following text.
  static func isLine(_ secret: Secret) -> Bool {
    isUTF8(secret) { !$0.isUnprintable }
  }

  /// Returns whether the secret is text of one line or several that a terminal shows and does not
  /// obey.
  static func isText(_ secret: Secret) -> Bool {
    isUTF8(secret) { !$0.isUnprintable || $0 == "\n" || $0 == "\t" }
  }

  private static func isUTF8(
    _ secret: Secret, of isAllowed: (Unicode.Scalar) -> Bool
  ) -> Bool {
    secret.withRawBytes { bytes in
      // The buffer is valid inside the closure, and bytes have no alignment.
      unsafe bytes.withUnsafeBytes { buffer in
        do {
          let text = try unsafe UTF8Span(validating: buffer.bindMemory(to: UInt8.self).span)
          var scalars = text.makeUnicodeScalarIterator()
          while let scalar = scalars.next() {
            guard isAllowed(scalar) else { return false }
          }
          return true
        } catch {
          return false
        }
      }
    }
  }
}
