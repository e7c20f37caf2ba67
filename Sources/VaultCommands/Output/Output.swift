import CredentialVault
import Glibc
package import SecureMemory
public import VaultModel
import VaultTerminal

/// Standard output: data only, collected in a buffer and written in large pieces.
///
/// Secrets do not pass through the buffer; they are written from their own memory.
public final class Output {
  private let descriptor: Int32
  /// The pager that takes the output's place for a while.
  private var pager: Int32?
  private var buffer: [UInt8] = []
  private(set) var hasFailed = false
  /// Whether the reader has closed its end: `vaultctl list | head -n 1`.
  ///
  /// This ends the output and not the work, which a command does to its end.
  private(set) var isUnread = false

  private static let pieceSize = 1 << 16

  init(descriptor: Int32 = STDOUT_FILENO) {
    self.descriptor = descriptor
  }

  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// The columns of the terminal; nil if the output is none.
  var columns: Int? {
    guard isTerminal else { return nil }
    return TextWidth.columns(of: descriptor) ?? 80
  }

  /// Whether colours are wanted: on a terminal that has them, unless `NO_COLOR` is set.
  var hasColours: Bool {
    guard isTerminal, Environment.value("NO_COLOR") == nil,
      let terminal = Environment.value("TERM")
    else { return false }
    return terminal != "dumb"
  }

  /// Writes text as it is.
  ///
  /// - Throws: ``VaultError/Code/inputOutput``.
  public func write(_ text: String) throws(VaultError) {
    buffer.append(contentsOf: text.utf8)
    try flushIfLarge()
  }

  /// Writes a line for people: control characters are escaped.
  ///
  /// - Throws: ``VaultError/Code/inputOutput``.
  public func line(_ text: String) throws(VaultError) {
    try write(Printable.text(text))
    try write(byte: UInt8(ascii: "\n"))
  }

  package func write(byte: UInt8) throws(VaultError) {
    buffer.append(byte)
    try flushIfLarge()
  }

  /// Writes the secret's bytes as they are, after everything that was written before.
  package func write(_ secret: Secret) throws(VaultError) {
    try secret.withRawBytes { bytes throws(VaultError) in try write(bytes) }
  }

  /// Writes bytes that may hold secrets, after everything that was written before.
  func write(_ bytes: RawSpan) throws(VaultError) {
    try flush()
    try send(bytes)
  }

  /// Writes the buffer to the descriptor.
  ///
  /// - Throws: ``VaultError/Code/inputOutput`` if not all of it can be written.
  public func flush() throws(VaultError) {
    guard !buffer.isEmpty else { return }
    let full = buffer
    buffer.removeAll(keepingCapacity: false)
    // Every bit pattern of a byte is valid as a raw one.
    try send(unsafe full.span.bytes)
  }

  /// Writes to another descriptor until `body` returns; what its reader does not read is no error.
  func through(_ other: Int32, _ body: () throws(VaultError) -> Void) throws(VaultError) {
    try flush()
    pager = other
    defer { (pager, isUnread) = (nil, false) }
    try body()
    try flush()
  }

  /// Ends the output; some file systems report a full disk only now.
  func close() throws(VaultError) {
    try flush()
    guard Glibc.close(descriptor) == 0 || errno == EINTR else {
      hasFailed = true
      throw VaultError(.inputOutput, "standard output", underlying: .errno(errno))
    }
  }

  /// Drops the unwritten output, so that an error's document stands alone.
  func discard() {
    buffer.removeAll()
  }

  private func flushIfLarge() throws(VaultError) {
    if buffer.count >= Self.pieceSize { try flush() }
  }

  private func send(_ bytes: RawSpan) throws(VaultError) {
    guard !isUnread else { return }
    do throws(VaultError) {
      try Descriptor.write(bytes, to: pager ?? descriptor)
    } catch {
      if case .errno(EPIPE)? = error.underlying {
        isUnread = true
        return
      }
      hasFailed = true
      throw VaultError(error.code, "standard output", underlying: error.underlying)
    }
  }
}

@available(*, unavailable)
extension Output: Sendable {}
