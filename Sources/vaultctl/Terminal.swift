import Glibc
import SecureMemory
import VaultModel

/// The terminal that the user sits at: the only place where anything is asked.
struct Terminal: ~Copyable {
  private let descriptor: Int32

  /// Opens `/dev/tty`; nil if there is none, or if asking would stop this process because it runs
  /// in the background.
  init?() {
    // A literal, which ends with NUL.
    descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    guard tcgetpgrp(descriptor) == getpgrp() else {
      close(descriptor)
      return nil
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The longest line that a terminal gives is 4095 bytes.
  private static let longestLine = 4096

  /// Asks for a line without showing what is typed.
  ///
  /// - Throws: ``VaultError/Code/interrupted`` if a signal comes, after the terminal is as it was
  ///   before; ``VaultError/Code/missingInput`` if the input ends.
  borrowing func secret(prompt: String) throws(VaultError) -> Secret {
    let signals = try PromptSignals()
    let echo = try EchoOff(descriptor)
    try show(prompt)
    var length = 0
    // `readLine` fills no more than the buffer that it gets.
    let line = try unsafe Secret(count: Self.longestLine) { buffer throws(VaultError) in
      length = try unsafe readLine(into: buffer, signals, echo, prompt)
    }
    return SecretInput.prefix(of: line, count: length)
  }

  /// Asks twice.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if the two differ or are empty.
  borrowing func newSecret(prompt: String) throws(VaultError) -> Secret {
    let first = try secret(prompt: prompt)
    guard first.count > 0 else { throw VaultError(.invalidData, "nothing was typed") }
    guard try secret(prompt: "Again: ").isEqual(to: first) else {
      throw VaultError(.invalidData, "the two entries differ")
    }
    return first
  }

  private func readLine(
    into buffer: UnsafeMutableRawBufferPointer, _ signals: borrowing PromptSignals,
    _ echo: borrowing EchoOff, _ prompt: String
  ) throws(VaultError) -> Int {
    var length = 0
    while true {
      if let signal = try signals.wait(for: descriptor) {
        guard signal == SIGTSTP else { throw VaultError(.interrupted, "interrupted") }
        echo.suspended { signals.stop() }
        try show(prompt)
        length = 0
        continue
      }
      var byte: UInt8 = 0
      // One byte into a variable of ours.
      let count = unsafe read(descriptor, &byte, 1)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count == 1 else {
        throw VaultError(.missingInput, "the terminal's input ended")
      }
      if byte == UInt8(ascii: "\n") { return length }
      guard length < buffer.count else { throw VaultError(.tooLarge, "the line is too long") }
      // Below the count, as was just checked.
      unsafe buffer[length] = byte
      length += 1
    }
  }

  private func show(_ prompt: String) throws(VaultError) {
    try Descriptor.write(Printable.text(prompt), to: descriptor)
  }
}

/// A terminal that does not show what is typed, until the end of this value.
private struct EchoOff: ~Copyable {
  private let descriptor: Int32
  private let before: termios

  init(_ descriptor: Int32) throws(VaultError) {
    var settings = termios()
    // The structure is ours.
    guard unsafe tcgetattr(descriptor, &settings) == 0 else {
      throw VaultError(.inputOutput, "the terminal", underlying: .errno(errno))
    }
    self.descriptor = descriptor
    before = settings
    hide()
  }

  deinit { restore() }

  /// Shows what is typed again while `body` runs.
  borrowing func suspended(_ body: () -> Void) {
    restore()
    body()
    hide()
  }

  private func hide() {
    var settings = before
    settings.c_lflag &= ~tcflag_t(ECHO)
    settings.c_lflag |= tcflag_t(ICANON | ECHONL)
    // TCSAFLUSH drops what was typed, and shown, before the question.
    // The structure is ours.
    _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
  }

  private func restore() {
    var settings = before
    // The structure is ours.
    _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
  }
}
