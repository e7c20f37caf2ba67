package import SecureMemory

extension RawSpan {
  /// A copy, for tests that compare bytes.
  package var array: [UInt8] {
    // The copy is made while the span is valid.
    unsafe withUnsafeBytes { unsafe Array($0) }
  }
}

extension Secret {
  /// A copy of a secret that is not really secret: it came from a test.
  package var array: [UInt8] { withRawBytes { $0.array } }

  /// Creates a secret of a test's bytes.
  package convenience init(_ bytes: [UInt8]) {
    // A view of bytes, which the array outlives.
    unsafe self.init(copying: bytes.span.bytes)
  }
}

extension KeyBuffer {
  /// Creates a key of a test's bytes.
  package init(_ bytes: [UInt8]) {
    // The output has as many bytes as are copied.
    unsafe self.init(count: bytes.count) { output in unsafe output.copyBytes(from: bytes) }
  }
}

extension [UInt8] {
  /// Returns the same bytes except for the lowest bit of one.
  package func flipped(at index: Int) -> [UInt8] {
    var bytes = self
    bytes[index] ^= 1
    return bytes
  }
}
