import VaultTerminal
import Glibc
import SecureMemory
import VaultModel

/// Variables in a file, with places for secrets: lines of `NAME=VALUE`.
///
/// A secret is put into a value that is read already, so that no sign in it means anything.
struct EnvironmentFile {
  private struct Variable {
    let name: String
    let pieces: [Template.Piece]
    let line: Int
  }

  private static let largest = 1 << 20

  private let variables: [Variable]

  /// Whether it has a place for a secret.
  var hasSecrets: Bool {
    variables.flatMap(\.pieces).contains { if case .secret = $0 { true } else { false } }
  }

  /// Reads a file.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if it cannot be read;
  ///   ``VaultError/Code/invalidData`` for a line that is neither of the form, empty nor a comment.
  ///   No line is repeated, since it may hold a secret.
  init(_ path: String) throws(VaultError) {
    // The path is copied for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw VaultError(.missingInput, "--env-file", underlying: .errno(errno))
    }
    defer { close(descriptor) }
    let content = try SecretInput.readAll(from: descriptor, limit: Self.largest)
    var variables: [Variable] = []
    for (index, line) in Self.lines(of: content).enumerated() {
      do throws(VaultError) {
        if let variable = try Self.variable(line, number: index + 1) { variables.append(variable) }
      } catch {
        throw error.preceded(by: "--env-file: line \(index + 1)")
      }
    }
    self.variables = variables
  }

  /// Returns the variables, with the secrets that `open` returns.
  func values(
    _ open: (SecretReference) throws(VaultError) -> Secret
  ) throws(VaultError) -> [(name: String, value: Secret)] {
    try variables.map { (variable) throws(VaultError) in
      do throws(VaultError) {
        var value = SecretBuffer(capacity: 64)
        for piece in variable.pieces {
          let part: Secret
          switch piece {
          case .text(let text): part = text
          case .secret(let reference, _): part = try open(reference)
          }
          part.withRawBytes { value.append($0) }
        }
        return (variable.name, value.secret(0..<value.count))
      } catch {
        throw error.preceded(by: "--env-file: line \(variable.line)")
      }
    }
  }

  // MARK: Reading

  /// Returns the lines, without the line feeds and a carriage return before one.
  private static func lines(of content: Secret) -> [Secret] {
    var lines: [Secret] = []
    content.withRawBytes { bytes in
      var start = 0
      for index in 0...bytes.byteCount
      where index == bytes.byteCount || Bytes.at(bytes, index) == UInt8(ascii: "\n") {
        let hasReturn = index > start && Bytes.at(bytes, index - 1) == UInt8(ascii: "\r")
        lines.append(Secret(copying: bytes.extracting(start..<(hasReturn ? index - 1 : index))))
        start = index + 1
      }
    }
    return lines
  }

  /// Returns the variable of a line; nil for an empty one and a comment.
  private static func variable(
    _ line: Secret, number: Int
  ) throws(VaultError) -> Variable? {
    let parts = line.withRawBytes { bytes -> (name: String, value: Secret)? in
      func byte(_ index: Int) -> UInt8 { Bytes.at(bytes, index) }
      func isBlank(_ index: Int) -> Bool { byte(index) == 0x20 || byte(index) == 0x09 }
      var (start, end) = (0, bytes.byteCount)
      while start < end, isBlank(start) { start += 1 }
      while start < end, isBlank(end - 1) { end -= 1 }
      guard start < end, byte(start) != UInt8(ascii: "#") else { return ("", Secret("")) }
      guard let sign = (start..<end).first(where: { byte($0) == UInt8(ascii: "=") }) else {
        return nil
      }
      // A name has only letters, so that what is no name is not copied.
      var name = String(decoding: (start..<sign).prefix(300).map(byte), as: UTF8.self)
      if name.hasPrefix("export ") { name = String(name.dropFirst(7)) }
      start = sign + 1
      while start < end, isBlank(start) { start += 1 }
      if end - start > 1, byte(start) == byte(end - 1),
        byte(start) == UInt8(ascii: "\"") || byte(start) == UInt8(ascii: "'")
      {
        (start, end) = (start + 1, end - 1)
      }
      while name.last == " " { name.removeLast() }
      return (name, Secret(copying: bytes.extracting(start..<end)))
    }
    guard let parts else { throw VaultError(.invalidData, "it is not of the form NAME=VALUE") }
    guard !parts.name.isEmpty || parts.value.count > 0 else { return nil }
    guard Binding.isName(parts.name) else {
      throw VaultError(.invalidData, "a variable's name has letters, digits and underscores")
    }
    return Variable(name: parts.name, pieces: try Template(parts.value).pieces, line: number)
  }
}
