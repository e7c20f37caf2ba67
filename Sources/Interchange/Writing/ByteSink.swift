import SecureMemory
package import VaultModel

/// The bytes of a file that is written, collected in guarded memory and passed on in large pieces.
///
/// `@safe`: the push gets bytes that are valid during the call.
package final class ByteSink {
  /// Writes bytes to the file, all of them.
  package typealias Push = (RawSpan) throws(VaultError) -> Void

  private static let pieceSize = 1 << 16

  private let push: Push
  private var buffer = SecretBuffer(capacity: 1 << 12)

  package init(_ push: @escaping Push) {
    self.push = push
  }

  /// Writes a byte.
  ///
  /// - Throws: Any error of the push, as every function here.
  func write(_ byte: UInt8) throws(VaultError) {
    buffer.append(byte)
    try flushIfLarge()
  }

  func write(_ bytes: RawSpan) throws(VaultError) {
    buffer.append(bytes)
    try flushIfLarge()
  }

  /// Writes text as UTF-8.
  func write(_ text: String) throws(VaultError) {
    // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
    try unsafe write(text.utf8.span.bytes)
  }

  /// Writes bytes in base 64.
  func write(base64 bytes: RawSpan) throws(VaultError) {
    Base64.encode(bytes, into: &buffer)
    try flushIfLarge()
  }

  /// Passes on what was collected.
  package func flush() throws(VaultError) {
    guard buffer.count > 0 else { return }
    defer { buffer.removeAll() }
    try buffer.withRawBytes { (bytes) throws(VaultError) in try push(bytes) }
  }

  private func flushIfLarge() throws(VaultError) {
    if buffer.count >= Self.pieceSize { try flush() }
  }
}

/// The bytes of a text or of a secret: writers treat them alike, without making text of a secret.
enum Field {
  case text(String)
  case secret(Secret)

  func withBytes<R>(_ body: (RawSpan) throws(VaultError) -> R) throws(VaultError) -> R {
    switch self {
    // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
    case .text(let text): try unsafe body(text.utf8.span.bytes)
    case .secret(let secret):
      try secret.withRawBytes { (bytes) throws(VaultError) in try body(bytes) }
    }
  }

  /// Returns whether a byte that is there belongs to a set.
  func contains(where belongs: (UInt8) -> Bool) -> Bool {
    switch self {
    case .text(let text): text.utf8.contains(where: belongs)
    case .secret(let secret):
      secret.withRawBytes { bytes in
        (0..<bytes.byteCount).contains { belongs(Bytes.at(bytes, $0)) }
      }
    }
  }
}
