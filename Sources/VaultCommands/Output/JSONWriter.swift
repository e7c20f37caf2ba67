import SecureMemory
public import VaultModel
import VaultTerminal

/// Writes one JSON document (RFC 8259) to the output piece by piece.
public struct JSONWriter {
  private let output: Output
  /// Whether the next value or name follows another one.
  private var needsComma = false

  package init(_ output: Output) {
    self.output = output
  }

  /// Writes an object under a name, whose members `members` writes.
  package mutating func object(
    _ name: String, _ members: (inout JSONWriter) throws(VaultError) -> Void
  ) throws(VaultError) {
    try self.name(name)
    try object(members)
  }

  /// Writes an object whose members `members` writes.
  package mutating func object(
    _ members: (inout JSONWriter) throws(VaultError) -> Void
  ) throws(VaultError) {
    try open(UInt8(ascii: "{"))
    try members(&self)
    try close(UInt8(ascii: "}"))
  }

  /// Writes an array under a name, with the value that `value` writes for each element.
  package mutating func array<S: Sequence>(
    _ name: String, _ elements: S,
    _ value: (S.Element, inout JSONWriter) throws(VaultError) -> Void
  ) throws(VaultError) {
    try self.name(name)
    try open(UInt8(ascii: "["))
    for element in elements { try value(element, &self) }
    try close(UInt8(ascii: "]"))
  }

  /// Writes an array under a name, with an object for each element, whose members `members` writes.
  public mutating func objects<S: Sequence>(
    _ name: String, _ elements: S,
    _ members: (S.Element, inout JSONWriter) throws(VaultError) -> Void
  ) throws(VaultError) {
    try array(name, elements) { (element, json) throws(VaultError) in
      try json.object { (json) throws(VaultError) in try members(element, &json) }
    }
  }

  package mutating func name(_ name: String) throws(VaultError) {
    try separate()
    try output.write(Self.quoted(name))
    try output.write(byte: UInt8(ascii: ":"))
    needsComma = false
  }

  package mutating func value(_ text: String) throws(VaultError) {
    try separate()
    try output.write(Self.quoted(text))
  }

  package mutating func value(_ number: some BinaryInteger) throws(VaultError) {
    try separate()
    try output.write(String(number))
  }

  /// Writes a member that is a text.
  public mutating func field(_ name: String, _ text: String) throws(VaultError) {
    try self.name(name)
    try value(text)
  }

  package mutating func field(_ name: String, _ texts: [String]) throws(VaultError) {
    try array(name, texts) { (text, json) throws(VaultError) in try json.value(text) }
  }

  /// Writes a member that is a number.
  public mutating func field(_ name: String, _ number: some BinaryInteger) throws(VaultError) {
    try self.name(name)
    try value(number)
  }

  package mutating func field(_ name: String, _ flag: Bool) throws(VaultError) {
    try self.name(name)
    try separate()
    try output.write(flag ? "true" : "false")
  }

  /// Writes a secret: under the name if it is UTF-8, else under the name followed by `_base64`.
  ///
  /// On a terminal it also has to be text, because RFC 8259 escapes neither C1 controls nor
  /// direction marks.
  mutating func field(_ name: String, _ secret: Secret) throws(VaultError) {
    if !output.isTerminal || SecretText.isText(secret),
      let escaped = SecretText.jsonEscaped(secret)
    {
      try self.name(name)
      try separate()
      try write(quoted: escaped)
    } else {
      try self.name(name + "_base64")
      try separate()
      try write(quoted: Base64.encode(secret))
    }
  }

  private func write(quoted secret: Secret) throws(VaultError) {
    try output.write(byte: UInt8(ascii: "\""))
    try output.write(secret)
    try output.write(byte: UInt8(ascii: "\""))
  }

  private mutating func open(_ bracket: UInt8) throws(VaultError) {
    try separate()
    try output.write(byte: bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) throws(VaultError) {
    try output.write(byte: bracket)
    needsComma = true
  }

  private mutating func separate() throws(VaultError) {
    if needsComma { try output.write(byte: UInt8(ascii: ",")) }
    needsComma = true
  }

  /// Returns the text as a JSON string.
  ///
  /// Control characters are escaped, also those above ASCII that RFC 8259 allows: the document may
  /// be shown on a terminal.
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
    if isPlain { return "\"\(text)\"" }
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isUnprintable:
        for unit in String(scalar).utf16 { result += "\\u\(String(hexadecimal: unit))" }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

@available(*, unavailable)
extension JSONWriter: Sendable {}
