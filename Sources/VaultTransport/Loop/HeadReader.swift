import HTTPAuthentication
import VaultModel

/// Reads the lines of heads, as libcurl gives them: one at a time, in the order of the responses.
struct HeadReader {
  /// Whether the last head is read: what follows are trailers.
  var isDone = false
  private var fields: [ResponseHead.Field] = []

  /// Reads a line, with its end.
  ///
  /// - Returns: The fields of a head that ends with it; nil before that.
  mutating func read(_ bytes: UnsafeRawBufferPointer) -> [ResponseHead.Field]? {
    guard !isDone else { return nil }
    // Read before the call returns.
    var line = unsafe bytes[...]
    while let last = unsafe line.last, last == 0x0A || last == 0x0D { unsafe line.removeLast() }
    guard let first = unsafe line.first else {
      defer { fields = [] }
      return fields
    }
    if unsafe line.starts(with: "HTTP/".utf8), unsafe !line.prefix(16).contains(0x3A) {
      fields = []
      return nil
    }
    if first == 0x20 || first == 0x09 {
      // A value that goes on, as old servers write it (RFC 9112 §5.2).
      guard let field = fields.popLast() else { return nil }
      let rest = unsafe Self.text(line)
      fields.append(.init(field.name, field.value.isEmpty ? rest : "\(field.value) \(rest)"))
      return nil
    }
    guard let colon = unsafe line.firstIndex(of: 0x3A) else { return nil }
    unsafe fields.append(
      .init(Self.text(line[..<colon]), Self.text(line[line.index(after: colon)...])))
    return nil
  }

  /// Returns a text without surrounding blanks: UTF-8, or else Latin-1, as old servers write it.
  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    // The bytes are copied.
    var part = unsafe bytes
    while let byte = unsafe part.first, byte == 0x20 || byte == 0x09 { unsafe part.removeFirst() }
    while let byte = unsafe part.last, byte == 0x20 || byte == 0x09 { unsafe part.removeLast() }
    if let text = unsafe String(validating: part, as: UTF8.self) { return text }
    return unsafe String(String.UnicodeScalarView(part.map { Unicode.Scalar($0) }))
  }
}
