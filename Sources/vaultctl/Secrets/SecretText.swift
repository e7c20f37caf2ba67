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
    secret.withRawBytes { bytes in
      // The buffers are valid inside the closures; every index is below their counts.
      unsafe bytes.withUnsafeBytes { source in
        unsafe Secret(count: (source.count + 2) / 3 * 4) { target in
          for group in 0..<(target.count / 4) {
            var bits: UInt32 = 0
            for offset in 0..<3 {
              let index = group * 3 + offset
              bits = bits << 8 | (index < source.count ? UInt32(unsafe source[index]) : 0)
            }
            for digit in 0..<4 {
              let isPadding = digit > source.count - group * 3
              let value = UInt8(truncatingIfNeeded: bits >> UInt32(18 - 6 * digit)) & 63
              unsafe target[group * 4 + digit] = isPadding ? UInt8(ascii: "=") : character(value)
            }
          }
        }
      }
    }
  }

  /// Returns whether the bytes are well-formed UTF-8.
  static func isUTF8(_ secret: Secret) -> Bool {
    secret.withRawBytes { bytes in
      // The buffer is valid inside the closure, and bytes have no alignment.
      unsafe bytes.withUnsafeBytes { buffer in
        do {
          _ = try unsafe UTF8Span(validating: buffer.bindMemory(to: UInt8.self).span)
          return true
        } catch {
          return false
        }
      }
    }
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

  /// Returns a digit of base 64, computed: a table would be read at places that depend on the
  /// secret.
  private static func character(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: UInt8(ascii: "A") + value
    case 26..<52: UInt8(ascii: "a") + value - 26
    case 52..<62: UInt8(ascii: "0") + value - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }
}
