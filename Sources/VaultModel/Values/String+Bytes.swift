import Glibc

// Swift compares strings by Unicode canonical equivalence: "é" in one scalar and in two is equal.
// A keychain compares bytes, and so does everything in this module.
extension String {
  /// Compares UTF-8 bytes like `memcmp`, with a prefix first: negative, 0 or positive.
  func compareBytes(_ other: String) -> Int {
    // SAFETY: `withUTF8Bytes` gives buffers that are valid inside its closure, and `memcmp` reads
    // no more than the shorter one holds; an empty buffer's base address is not used.
    unsafe withUTF8Bytes { left in
      unsafe other.withUTF8Bytes { right in
        if let a = left.baseAddress, let b = right.baseAddress {
          let order = unsafe memcmp(a, b, min(left.count, right.count))
          if order != 0 { return Int(order) }
        }
        return left.count - right.count
      }
    }
  }

  /// Returns whether both hold the same UTF-8 bytes.
  package func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && compareBytes(other) == 0
  }

  /// Returns whether both hold the same bytes except for the case of ASCII letters, as HTTP
  /// compares names.
  package func hasSameBytesIgnoringCase(as other: String) -> Bool {
    let (mine, theirs) = (utf8.span, other.utf8.span)
    guard mine.count == theirs.count else { return false }
    for index in mine.indices where mine[index].lowercasedASCII != theirs[index].lowercasedASCII {
      return false
    }
    return true
  }

  /// Creates the text of UTF-8; nil if it is not valid.
  ///
  /// `String(validating:as:)` looks up types at run time, which takes longer than the rest.
  package init?(utf8 bytes: Span<UInt8>) {
    do {
      self.init(copying: try UTF8Span(validating: bytes))
    } catch {
      return nil
    }
  }

  /// Feeds the UTF-8 bytes and a terminator, a byte that UTF-8 never has, to the hasher.
  package func hashBytes(into hasher: inout Hasher) {
    // SAFETY: the buffer is valid inside the closure and the hasher only reads it.
    unsafe withUTF8Bytes { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
    hasher.combine(0xFF as UInt8)
  }

  /// Whether the bytes contain a NUL, at which a C string would end.
  package var containsNUL: Bool {
    // Every text of an item is checked. SAFETY: the buffer is valid inside the closure, and its
    // count is its own.
    unsafe withUTF8Bytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      return unsafe memchr(start, 0, bytes.count) != nil
    }
  }

  /// Returns whether any UTF-8 byte is such a one: by a span, in a third of the time that the view
  /// takes.
  @inlinable package func hasByte(where isSuch: (UInt8) -> Bool) -> Bool {
    let bytes = utf8.span
    for index in bytes.indices where isSuch(bytes[index]) { return true }
    return false
  }

  /// The text with ASCII letters in lower case and everything else as it was.
  package var lowercasedASCII: String {
    guard hasByte(where: \.isUppercaseLetter) else { return self }
    return String(decoding: utf8.map(\.lowercasedASCII), as: UTF8.self)
  }

  /// Calls `body` with the UTF-8 bytes, without a copy unless the storage is not contiguous.
  private func withUTF8Bytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    // SAFETY: the buffer does not leave the closure.
    if let result = unsafe utf8.withContiguousStorageIfAvailable(body) { return result }
    var contiguous = self
    return contiguous.withUTF8(body)
  }
}

extension Span<UInt8> {
  /// A copy of the bytes.
  package var array: [UInt8] {
    // The buffer is valid inside the closure, and copied.
    unsafe withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Returns the index of the first byte that a test accepts, from an index on; nil if there is
  /// none.
  func firstIndex(from start: Int = 0, where isWanted: (UInt8) -> Bool) -> Int? {
    var index = start
    while index < count {
      if isWanted(self[index]) { return index }
      index += 1
    }
    return nil
  }
}

extension UInt8 {
  @inlinable package var isUppercaseLetter: Bool {
    self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z")
  }

  @inlinable package var isLowercaseLetter: Bool {
    self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z")
  }

  @inlinable package var isLetter: Bool { isLowercaseLetter || isUppercaseLetter }

  @inlinable package var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  /// Whether the authority of a URL ends before it (RFC 3986 §3.2).
  @inlinable package var endsAuthority: Bool {
    self == UInt8(ascii: "/") || self == UInt8(ascii: "?") || self == UInt8(ascii: "#")
  }

  /// C0 controls and DEL.
  @inlinable package var isControl: Bool { self < 0x20 || self == 0x7F }

  @inlinable package var lowercasedASCII: UInt8 { isUppercaseLetter ? self | 0x20 : self }
}

/// Text that is compared, hashed and sorted by its UTF-8 bytes.
struct ByteText: Hashable, Comparable, Sendable {
  var text: String

  static func == (left: ByteText, right: ByteText) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  static func < (left: ByteText, right: ByteText) -> Bool {
    left.text.compareBytes(right.text) < 0
  }

  func hash(into hasher: inout Hasher) {
    text.hashBytes(into: &hasher)
  }
}
