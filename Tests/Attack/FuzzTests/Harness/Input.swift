/// Takes an input apart from its front; after its end everything is 0 and empty.
struct Input {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Returns the number in the given count of bytes, the lowest first.
  mutating func number(_ count: Int) -> UInt64 {
    var number: UInt64 = 0
    for index in 0..<count { number |= UInt64(byte()) << UInt64(8 * index) }
    return number
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    let bytes = Array(rest.prefix(count))
    rest = rest.dropFirst(count)
    return bytes
  }

  mutating func remaining() -> [UInt8] {
    bytes(rest.count)
  }
}

extension [UInt8] {
  /// The texts between line feeds, as a program gets its arguments: without NUL, and UTF-8 or
  /// nothing.
  var lines: [String] {
    split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).compactMap { line in
      line.contains(0) ? nil : String(validating: line, as: UTF8.self)
    }
  }

  /// The whole input as text, wrong bytes replaced.
  var text: String { String(decoding: self, as: UTF8.self) }
}
