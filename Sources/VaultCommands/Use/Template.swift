import SecureMemory
import VaultModel

/// A text with placeholders for secrets: `{{ vault "REF" }}` or `{{ vault "REF" "FIELD" }}`.
///
/// Other text in braces is kept, because templates of other programs have it.
struct Template {
  enum Piece {
    case text(Secret)
    case secret(SecretReference, line: Int)
  }

  /// Its parts, in order.
  private(set) var pieces: [Piece] = []

  /// The most placeholders, each of which can be as long as a secret.
  private static let mostReferences = 1000

  /// Reads a template, which may hold secrets of its own.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` with the number of the line for a malformed
  ///   placeholder; ``VaultError/Code/tooLarge`` for more than 1000 placeholders.
  init(_ text: Secret) throws(VaultError) {
    pieces = try text.withRawBytes { bytes throws(VaultError) in
      // The buffer is valid inside the closure; the parser does not leave it.
      try unsafe bytes.withUnsafeBytes { buffer throws(VaultError) in
        var parser = unsafe TemplateParser(buffer)
        return try parser.pieces(atMost: Self.mostReferences)
      }
    }
  }
}

/// Goes through the bytes of a template once.
// Proof: it is made and dropped inside the closure in which the buffer is valid, and each access is
// below the buffer's count.
@safe private struct TemplateParser {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  private var line = 1

  init(_ bytes: UnsafeRawBufferPointer) {
    // The proof is above.
    unsafe self.bytes = bytes
  }

  mutating func pieces(atMost most: Int) throws(VaultError) -> [Template.Piece] {
    var pieces: [Template.Piece] = []
    var start = 0
    var count = 0
    while let byte = next {
      let place = position
      guard opens() else {
        if byte == UInt8(ascii: "\n") { line += 1 }
        position = place + 1
        continue
      }
      if place > start { pieces.append(.text(text(start..<place))) }
      pieces.append(.secret(try reference(), line: line))
      start = position
      count += 1
      guard count <= most else {
        throw VaultError(.tooLarge, "the template has more than \(most) places for secrets")
      }
    }
    if start < position { pieces.append(.text(text(start..<position))) }
    return pieces
  }

  private func text(_ range: Range<Int>) -> Secret {
    // The range is inside the buffer, and the new memory as long.
    unsafe Secret(count: range.count) { memory in
      unsafe memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
  }

  /// Skips `{{ vault` and the blanks behind it; false if something else is here.
  private mutating func opens() -> Bool {
    guard skip("{{") else { return false }
    skipBlanks()
    guard skip("vault"), let next else { return false }
    skipBlanks()
    return Self.isBlank(next) || next == UInt8(ascii: "\"")
  }

  /// Reads the strings and the closing braces.
  private mutating func reference() throws(VaultError) -> SecretReference {
    let item = try string()
    skipBlanks()
    let field = next == UInt8(ascii: "\"") ? try string() : nil
    skipBlanks()
    guard skip("}}") else { throw malformed }
    guard let field else { return SecretReference(item) }
    do throws(VaultError) {
      return try SecretReference(item, field: field)
    } catch {
      throw VaultError(.invalidData, "line \(line): \(error.context)")
    }
  }

  /// Reads a string in quotation marks, in which a backslash precedes one and itself.
  private mutating func string() throws(VaultError) -> String {
    guard skip("\"") else { throw malformed }
    var characters: [UInt8] = []
    while let byte = next, byte >= 0x20 {
      position += 1
      if byte == UInt8(ascii: "\"") {
        guard let text = String(validating: characters, as: UTF8.self) else { break }
        return text
      }
      guard byte == UInt8(ascii: "\\") else {
        characters.append(byte)
        continue
      }
      guard let escaped = next, escaped == UInt8(ascii: "\"") || escaped == byte else { break }
      characters.append(escaped)
      position += 1
    }
    throw malformed
  }

  private var malformed: VaultError {
    VaultError(
      .invalidData,
      "line \(line): a place is {{ vault \"REF\" }} or {{ vault \"REF\" \"FIELD\" }}")
  }

  private var next: UInt8? {
    // Read only below the count.
    unsafe position < bytes.count ? bytes[position] : nil
  }

  /// Skips a text; false if something else is here.
  private mutating func skip(_ text: String) -> Bool {
    let start = position
    for byte in text.utf8 {
      guard next == byte else {
        position = start
        return false
      }
      position += 1
    }
    return true
  }

  private mutating func skipBlanks() {
    while let byte = next, Self.isBlank(byte) { position += 1 }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
