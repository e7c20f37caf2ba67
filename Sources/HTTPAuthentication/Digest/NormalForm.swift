import CVaultText
import SecureMemory
import VaultModel

/// Unicode's normal form C, in which servers compare users and passwords.
///
/// - Source: RFC 7617 §2, RFC 7616 §4, by RFC 8265; Unicode Standard Annex 15.
enum NormalForm {
  /// NFC makes no UTF-8 text longer than three times its length (UAX 15 §17).
  private static let growth = 3

  /// Calls `body` with the text in NFC, which never leaves guarded memory; with the bytes as they
  /// are if they are ASCII or not UTF-8.
  static func withComposed<R, E: Error>(
    _ bytes: RawSpan, _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    // The buffer is valid within the closure.
    guard unsafe bytes.withUnsafeBytes({ unsafe $0.contains { $0 >= 0x80 } }) else {
      return try body(bytes)
    }
    var composed = SecretBuffer(capacity: growth * bytes.byteCount)
    // The memory has room for the longest result.
    unsafe composed.append(upTo: growth * bytes.byteCount) { unsafe compose(bytes, $0) }
    return composed.isEmpty ? try body(bytes) : try composed.withRawBytes(body)
  }

  /// Returns a user's name in NFC.
  static func composed(_ text: String) -> String {
    // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
    unsafe withComposed(text.utf8.span.bytes) { bytes in
      // The buffer is valid within the closure.
      unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Writes the text in NFC into `memory`, and returns its length; 0 if it is not UTF-8.
  private static func compose(
    _ bytes: RawSpan, _ memory: UnsafeMutableRawBufferPointer
  ) -> Int {
    // libunistring sorts the marks of one character at a time on its stack.
    defer { wipeStack() }
    var count = memory.count
    let target = unsafe memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
    // `count` says how much room there is. Both buffers are valid within the closure.
    let written = unsafe bytes.withUnsafeBytes {
      unsafe vault_nfc(
        $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count, target, &count)
    }
    guard let written = unsafe written else { return 0 }
    guard unsafe written == target else {
      // Unreachable, since there is room: a block of the library's own, wiped and given up.
      unsafe wipeAndFree(written)
      return 0
    }
    return count
  }
}

extension Secret {
  /// Calls `body` with the bytes in NFC; with the bytes as they are if they are not UTF-8.
  func withComposedBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    try withRawBytes { (bytes) throws(E) in try NormalForm.withComposed(bytes, body) }
  }
}
