import BusMessages
import CSecretServiceSystemd
import SecureMemory

/// Appends values to a message.
enum BusWriter {
  /// Appends values; a message that bytes are in is wiped when it was sent.
  ///
  /// - Returns: Whether all fitted.
  @unsafe static func append(_ values: [BusValue], to message: OpaquePointer) -> Bool {
    if values.contains(where: \.holdsBytes), unsafe sd_bus_message_sensitive(message) < 0 {
      return false
    }
    return values.allSatisfy { unsafe append($0, to: message) }
  }

  private static func append(_ value: BusValue, to message: OpaquePointer) -> Bool {
    // The message is the caller's; every value is copied into it.
    switch value {
    case .text(let text): return unsafe append(text, "s", message)
    case .path(let path): return unsafe append(path, "o", message)
    case .flag(let flag): return unsafe append(Int32(flag ? 1 : 0), "b", message)
    case .number(let number): return unsafe append(number, "t", message)
    case .status(let status): return unsafe append(status, "u", message)
    case .descriptor(let descriptor): return unsafe append(descriptor, "h", message)
    case .bytes(let secret):
      return secret.withBytes { bytes in
        unsafe bytes.withUnsafeBytes {
          unsafe sd_bus_message_append_array(message, code("y"), $0.baseAddress, $0.count) >= 0
        }
      }
    case .list(let element, let values):
      return unsafe within("a", element, message) {
        values.allSatisfy { unsafe append($0, to: message) }
      }
    case .dictionary(let key, let value, let entries):
      return unsafe within("a", "{\(key)\(value)}", message) {
        entries.allSatisfy { entry in
          unsafe within("e", key + value, message) {
            unsafe append(entry.0, to: message) && append(entry.1, to: message)
          }
        }
      }
    case .structure(let fields):
      return unsafe within("r", fields.map(\.signature).joined(), message) {
        fields.allSatisfy { unsafe append($0, to: message) }
      }
    case .variant(let inner):
      return unsafe within("v", inner.signature, message) { unsafe append(inner, to: message) }
    }
  }

  private static func code(_ type: Unicode.Scalar) -> CChar { CChar(UInt8(ascii: type)) }

  private static func append(
    _ text: String, _ type: Unicode.Scalar, _ message: OpaquePointer
  ) -> Bool {
    // A C string during the call.
    unsafe text.withCString { unsafe sd_bus_message_append_basic(message, code(type), $0) >= 0 }
  }

  private static func append(
    _ number: some FixedWidthInteger, _ type: Unicode.Scalar, _ message: OpaquePointer
  ) -> Bool {
    var number = number
    // The type has the number's own size.
    return unsafe sd_bus_message_append_basic(message, code(type), &number) >= 0
  }

  private static func within(
    _ type: Unicode.Scalar, _ contents: String, _ message: OpaquePointer, _ body: () -> Bool
  ) -> Bool {
    // The text is valid during the call.
    unsafe sd_bus_message_open_container(message, code(type), contents) >= 0 && body()
      && sd_bus_message_close_container(message) >= 0
  }
}
