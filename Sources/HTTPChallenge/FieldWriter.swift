import VaultModel

/// A writer of a field's value.
///
/// - Source: RFC 9110 §5.6.
package struct FieldWriter {
  /// The bytes written so far.
  package private(set) var bytes: [UInt8] = []
  private var hasParameter = false

  /// Starts the value with the scheme.
  package init(scheme: String, capacity: Int = 256) {
    bytes.reserveCapacity(capacity)
    bytes.append(contentsOf: scheme.utf8)
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends the token68, in place of parameters.
  package mutating func append(token68: String) {
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: token68.utf8)
  }

  /// Appends a parameter whose value is a token.
  package mutating func append(_ name: String, token: String) {
    begin(name)
    bytes.append(contentsOf: token.utf8)
  }

  /// Appends a parameter whose value is a quoted string of these bytes, which need no escape.
  package mutating func append(_ name: String, plain value: [UInt8]) {
    begin(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: value)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends a parameter whose value is a quoted string.
  ///
  /// A control character would end the field, so it becomes a blank; parsed values contain none.
  package mutating func append(_ name: String, quoted value: String) {
    begin(name)
    bytes.append(UInt8(ascii: "\""))
    let characters = value.utf8.span
    if !characters.indices.contains(where: { Self.isSpecial(characters[$0]) }) {
      bytes.append(contentsOf: value.utf8)
    } else {
      for byte in value.utf8 {
        let isQuotable = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
        if isQuotable { bytes.append(UInt8(ascii: "\\")) }
        bytes.append(isQuotable || !Self.isSpecial(byte) ? byte : UInt8(ascii: " "))
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends a parameter with an extended value: UTF-8, percent-encoded.
  ///
  /// - Source: RFC 8187 §3.2.
  package mutating func append(_ name: String, extended value: String) {
    begin(name)
    bytes.append(contentsOf: "UTF-8''".utf8)
    for byte in value.utf8 {
      // attr-char: a token's characters, except the three that the form itself uses.
      if FieldScanner.isTokenCharacter(byte), !"*'%".utf8.contains(byte) {
        bytes.append(byte)
      } else {
        PercentEncoding.escape(byte) { bytes.append($0) }
      }
    }
  }

  private mutating func begin(_ name: String) {
    if hasParameter { bytes.append(UInt8(ascii: ",")) }
    hasParameter = true
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: name.utf8)
    bytes.append(UInt8(ascii: "="))
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
      || (byte.isControl && byte != UInt8(ascii: "\t"))
  }
}
