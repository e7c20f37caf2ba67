public import SecureMemory

extension RawSpan {
  /// A copy, for tests that compare bytes.
  package var array: [UInt8] {
    // The copy is made while the span is valid.
    unsafe withUnsafeBytes { unsafe Array($0) }
  }
}

extension Secret {
  /// A copy of a secret that is not really secret: it came from a test.
  public var array: [UInt8] { withRawBytes { $0.array } }

  /// Creates a secret of a test's bytes.
  public convenience init(_ bytes: [UInt8]) {
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

extension Collection<UInt8> {
  /// The bytes as hexadecimal digits.
  package var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
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

/// Reproducible random numbers (Steele et al., SplitMix64), so that a failing case can be repeated.
public struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Begins with a seed.
  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
