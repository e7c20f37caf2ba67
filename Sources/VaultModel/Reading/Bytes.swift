import Glibc
import SecureMemory

/// Reading of bytes that are in guarded memory.
package enum Bytes {
  /// Returns the byte at an index.
  @inlinable @inline(__always)
  package static func at(_ bytes: RawSpan, _ index: Int) -> UInt8 {
    // Every bit pattern is valid for a byte; the load checks the index.
    unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
  }

  /// Returns the text of bytes that are not secret.
  ///
  /// - Throws: ``VaultError/Code/invalidData``, naming the part, if they are not UTF-8.
  package static func text(_ bytes: RawSpan, _ part: StaticString) throws(VaultError) -> String {
    guard let text = textOrNil(bytes) else {
      throw VaultError(.invalidData, "\(part): not UTF-8")
    }
    return text
  }

  /// Returns a copy of bytes that are not secret.
  package static func array(_ bytes: RawSpan) -> [UInt8] {
    // The bytes are valid inside the closure, and copied.
    unsafe bytes.withUnsafeBytes { unsafe Array($0) }
  }

  /// Returns whether the bytes are UTF-8, without a copy of them.
  package static func areUTF8(_ bytes: RawSpan) -> Bool {
    do {
      _ = try UTF8Span(validating: Span(_bytes: bytes))
      return true
    } catch {
      return false
    }
  }

  /// Returns whether the bytes are exactly those of an ASCII text.
  package static func equal(_ bytes: RawSpan, _ text: StaticString) -> Bool {
    guard bytes.byteCount == text.utf8CodeUnitCount else { return false }
    // A static string's bytes are valid for the whole run of the program; the lengths are equal.
    let other = unsafe UnsafeRawBufferPointer(
      start: text.utf8Start, count: text.utf8CodeUnitCount)
    return unsafe bytes.withUnsafeBytes { unsafe $0.elementsEqual(other) }
  }

  /// Returns whether two ranges of bytes hold the same.
  package static func equal(_ bytes: RawSpan, _ other: RawSpan) -> Bool {
    guard bytes.byteCount == other.byteCount else { return false }
    // Both are valid inside the closures, and as long as each other; without bytes there may be no
    // address.
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe other.withUnsafeBytes { other in
        guard let start = bytes.baseAddress, let place = other.baseAddress else { return true }
        return unsafe memcmp(start, place, bytes.count) == 0
      }
    }
  }

  /// Returns the range without blanks and line ends at both ends.
  package static func trimmed(_ bytes: RawSpan) -> Range<Int> {
    var (start, end) = (0, bytes.byteCount)
    while start < end, isBlank(at(bytes, start)) { start += 1 }
    while end > start, isBlank(at(bytes, end - 1)) { end -= 1 }
    return start..<end
  }

  /// Returns whether it is a space, a tab or part of a line end.
  package static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }

  /// Returns the reason why bytes cannot be text of a record; nil if they can.
  package static func problem(_ bytes: RawSpan) -> String? {
    if firstIndex(of: 0, in: bytes) != nil { return "a NUL byte" }
    return areUTF8(bytes) ? nil : "not UTF-8"
  }

  /// Returns the text of percent-encoded bytes that are not secret.
  package static func decodedText(
    _ bytes: RawSpan, _ part: StaticString
  ) throws(VaultError) -> String {
    guard
      let text = String(
        validating: try PercentEncoding.decode(array(bytes), part: part), as: UTF8.self)
    else { throw VaultError(.invalidData, "\(part): not UTF-8") }
    return text
  }

  /// Calls `body` with percent-encoded bytes as they are without the encoding, in guarded memory.
  package static func withDecoded<R>(
    _ bytes: RawSpan, _ part: StaticString, _ body: (RawSpan) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    var decoded = SecretBuffer(capacity: bytes.byteCount)
    // The buffer is valid inside the closure.
    let isWhole = unsafe bytes.withUnsafeBytes { bytes in
      unsafe PercentEncoding.decode(bytes) { decoded.append($0) }
    }
    guard isWhole else {
      throw VaultError(.invalidData, "\(part): a % without two hexadecimal digits")
    }
    return try decoded.withRawBytes(body)
  }

  /// Returns the index of the first byte of this value.
  package static func firstIndex(of byte: UInt8, in bytes: RawSpan) -> Int? {
    // The bytes are valid inside the closure, and `memchr` reads no more than there are.
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress,
        let found = unsafe memchr(start, Int32(byte), bytes.count)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - start
    }
  }

  /// Returns the text of bytes that are not secret; nil if they are not UTF-8.
  package static func textOrNil(_ bytes: RawSpan) -> String? {
    String(utf8: Span(_bytes: bytes))
  }

  /// Returns the range of the line behind a prefix; nil if it does not begin so.
  package static func range(_ bytes: RawSpan, after prefix: StaticString) -> Range<Int>? {
    let count = prefix.utf8CodeUnitCount
    guard bytes.byteCount >= count, equal(bytes.extracting(first: count), prefix) else {
      return nil
    }
    return count..<bytes.byteCount
  }

  /// Returns whether the bytes contain an ASCII text.
  package static func contains(_ bytes: RawSpan, _ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard count > 0, count <= bytes.byteCount else { return false }
    return (0...(bytes.byteCount - count)).contains { start in
      equal(bytes.extracting(start..<(start + count)), text)
    }
  }
}
