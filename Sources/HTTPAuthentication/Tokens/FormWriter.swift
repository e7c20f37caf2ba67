import SecureMemory
import VaultModel

/// A writer of `application/x-www-form-urlencoded` in guarded memory.
///
/// It writes a blank as `%20`, which every reader takes, so that the same text is a query.
struct FormWriter: ~Copyable {
  private var form = SecretBuffer(capacity: 512)

  /// Appends a field.
  mutating func append(_ name: String, _ value: String) {
    begin(name)
    // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
    unsafe append(encoding: value.utf8.span.bytes)
  }

  /// Appends a field whose value is a secret.
  mutating func append(_ name: String, _ value: Secret) {
    begin(name)
    value.withRawBytes { append(encoding: $0) }
  }

  /// The form.
  var secret: Secret { form.secret(0..<form.count) }

  /// The form, which has no secret in it.
  var text: String { form.text(0..<form.count) ?? "" }

  /// Returns a secret as a value of a form.
  static func encoded(_ value: Secret) -> Secret {
    var writer = FormWriter()
    value.withRawBytes { writer.append(encoding: $0) }
    return writer.secret
  }

  /// Returns a text as a value of a form.
  static func encoded(_ value: String) -> String {
    var writer = FormWriter()
    // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
    unsafe writer.append(encoding: value.utf8.span.bytes)
    return writer.text
  }

  private mutating func begin(_ name: String) {
    if !form.isEmpty { form.append(UInt8(ascii: "&")) }
    for byte in name.utf8 { form.append(byte) }
    form.append(UInt8(ascii: "="))
  }

  private mutating func append(encoding bytes: RawSpan) {
    for index in bytes.byteOffsets {
      PercentEncoding.encode(Bytes.at(bytes, index)) { form.append($0) }
    }
  }
}
