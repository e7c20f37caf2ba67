import SecureMemory
import VaultModel

/// The tokens of netrc in guarded memory.
final class NetrcTokens {
  private let source: ByteSource
  /// The present token, unquoted.
  private(set) var bytes = SecretBuffer(capacity: 4096)
  /// The line that the present token begins in.
  private(set) var line = 1
  /// The reason why the present token cannot be a value; nil if it can.
  private(set) var problem: String?
  /// Whether the file ends in the last token, which no quotation mark and no line end closes.
  private(set) var endsOpen = false
  private var isAtLineStart = true
  /// The line of a comment that was passed over since the last call.
  private var comment: Int?

  init(_ source: ByteSource) throws(VaultError) {
    self.source = source
    try source.skipByteOrderMark()
  }

  /// The present token in lower case; empty if it is longer than any keyword, as a secret in a
  /// keyword's place may be.
  var keyword: String {
    guard bytes.count <= 8 else { return "" }
    return bytes.text(0..<bytes.count)?.lowercasedASCII ?? ""
  }

  func next() throws(VaultError) -> Bool {
    guard try skipBlanks() else { return false }
    bytes.removeAll()
    line = source.line
    problem = nil
    isAtLineStart = false
    if try source.skip(UInt8(ascii: "\"")) {
      try readQuoted()
    } else {
      let isWhole = try source.take(
        while: { !Bytes.isBlank($0) }, into: &bytes, limit: InterchangeLimit.record)
      // People write such files, and not every editor ends the last line.
      endsOpen = try source.peek() == nil
      if !isWhole { problem = "longer than \(InterchangeLimit.record >> 20) MiB" }
    }
    problem = problem ?? bytes.withRawBytes(Bytes.problem)
    return true
  }

  /// Returns the line of the first comment since the last call; nil if there was none.
  func takeComment() -> Int? {
    defer { comment = nil }
    return comment
  }

  /// Skips to the empty line that ends a macro.
  func skipMacro() throws(VaultError) {
    while let byte = try source.next() {
      guard byte == UInt8(ascii: "\n") else { continue }
      if try source.skip(UInt8(ascii: "\n")) { break }
      if try source.skip("\r\n") { break }
    }
    isAtLineStart = true
  }

  private func skipBlanks() throws(VaultError) -> Bool {
    while let byte = try source.peek() {
      if isAtLineStart, byte == UInt8(ascii: "#") {
        comment = comment ?? source.line
        while let next = try source.peek(), next != UInt8(ascii: "\n") { _ = try source.next() }
      } else if Bytes.isBlank(byte) {
        isAtLineStart = byte == UInt8(ascii: "\n") || isAtLineStart
        _ = try source.next()
      } else {
        return true
      }
    }
    return false
  }

  private func readQuoted() throws(VaultError) {
    while let byte = try source.next() {
      switch byte {
      case UInt8(ascii: "\""): return
      case UInt8(ascii: "\n"):
        problem = "a quotation mark that is not closed on its line"
        isAtLineStart = true
        return
      case UInt8(ascii: "\\"):
        guard let escaped = try source.next() else { break }
        switch escaped {
        case UInt8(ascii: "n"): append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r"): append(UInt8(ascii: "\r"))
        case UInt8(ascii: "t"): append(UInt8(ascii: "\t"))
        default: append(escaped)
        }
      default: append(byte)
      }
    }
    problem = "a quotation mark that is never closed"
  }

  private func append(_ byte: UInt8) {
    if bytes.count < InterchangeLimit.record {
      bytes.append(byte)
    } else {
      problem = "longer than \(InterchangeLimit.record >> 20) MiB"
    }
  }
}
