import Interchange
import SecureMemory
import VaultTerminal

/// Text forms of a secret, made in secret memory.
enum SecretText {
  /// Returns the inside of a JSON string (RFC 8259 §7), or nil if the secret is not UTF-8.
  static func jsonEscaped(_ secret: Secret) -> Secret? {
    guard isUTF8(secret) else { return nil }
    return secret.withRawBytes { bytes in
      // The buffers are valid inside the closures; the second is as long as the loop needs.
      unsafe bytes.withUnsafeBytes { source in
        let count = unsafe source.reduce(0) { $0 + escapedCount($1) }
        return unsafe Secret(count: count) { target in
          var index = 0
          for place in 0..<source.count {
            unsafe escape(source[place], into: target, at: &index)
          }
        }
      }
    }
  }

  /// Returns the secret in base 64 (RFC 4648 §4) with padding.
  static func base64(_ secret: Secret) -> Secret {
    var text = SecretBuffer(capacity: (secret.count + 2) / 3 * 4)
    secret.withRawBytes { Base64.encode($0, into: &text) }
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
    isUTF8(secret) { !Printable.isControl($0) }
  }

  /// Returns whether the secret is text of one line or several that a terminal shows and does not
  /// obey.
  static func isText(_ secret: Secret) -> Bool {
    isUTF8(secret) { !Printable.isControl($0) || $0 == "\n" || $0 == "\t" }
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

  private static func escapedCount(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): 2
    case 0..<0x20, 0x7F: 6
    default: 1
    }
  }

  private static func escape(
    _ byte: UInt8, into target: UnsafeMutableRawBufferPointer, at index: inout Int
  ) {
    func append(_ byte: UInt8) {
      // `escapedCount` made the room.
      unsafe target[index] = byte
      index += 1
    }
    switch escapedCount(byte) {
    case 6:
      append(UInt8(ascii: "\\"))
      append(UInt8(ascii: "u"))
      append(UInt8(ascii: "0"))
      append(UInt8(ascii: "0"))
      append(hexadecimal(byte >> 4))
      append(hexadecimal(byte & 15))
    case 2:
      append(UInt8(ascii: "\\"))
      append(byte)
    default:
      append(byte)
    }
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}
