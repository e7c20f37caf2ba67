import Glibc
package import SecureMemory
package import VaultModel

/// The user's terminal, the only place for prompts.
package struct Terminal: ~Copyable {
  private let descriptor: Int32
  private let wakeUp: WakeUp?

  /// Opens `/dev/tty`; nil if there is none, or if a prompt would stop this process because it runs
  /// in the background.
  ///
  /// - Parameter wakeUp: Ends a prompt from another thread, for programs with several: the calling
  ///   thread then handles no signals, and Ctrl-C and Ctrl-Z are read as keys. Nil for a program
  ///   with one thread, whose signals are read from a descriptor.
  package init?(wakeUp: WakeUp? = nil) {
    // A literal, which ends with NUL.
    descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    self.wakeUp = wakeUp
    guard descriptor >= 0 else { return nil }
    guard isInForeground else {
      close(descriptor)
      return nil
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  private var isInForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// A terminal's longest line has 4095 bytes.
  private static let longestLine = 4096

  /// Asks for a line without showing the input.
  ///
  /// - Throws: ``VaultError/Code/interrupted`` if a signal or Ctrl-C arrives or the prompt is
  ///   woken, after the terminal has been restored; ``VaultError/Code/missingInput`` if the input
  ///   ends, by Ctrl-D or for good.
  package borrowing func secret(prompt: String) throws(VaultError) -> Secret {
    try ask(prompt, hides: true)
  }

  /// Asks for a line and shows the input.
  ///
  /// - Throws: As ``secret(prompt:)``.
  package borrowing func line(prompt: String) throws(VaultError) -> Secret {
    try ask(prompt, hides: false)
  }

  /// Asks for a new secret twice.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if the two differ, or are empty and must not be.
  package borrowing func newSecret(
    prompt: String, mayBeEmpty: Bool = false
  ) throws(VaultError) -> Secret {
    let first = try secret(prompt: prompt)
    guard first.count > 0 || mayBeEmpty else { throw VaultError(.invalidData, "nothing was typed") }
    guard try secret(prompt: "Again: ").isEqual(to: first) else {
      throw VaultError(.invalidData, "the two entries differ")
    }
    return first
  }

  /// Shows a line, with control characters escaped.
  package borrowing func show(_ line: String) throws(VaultError) {
    try Descriptor.write(Printable.text(line) + "\n", to: descriptor)
  }

  private func ask(_ prompt: String, hides: Bool) throws(VaultError) -> Secret {
    if wakeUp != nil { return try read(prompt, nil, hides: hides) }
    // Around the terminal's mode: a signal that ends the process must find the terminal restored.
    let signals = try PromptSignals()
    defer { signals.end() }
    return try read(prompt, signals, hides: hides)
  }

  private func read(
    _ prompt: String, _ signals: PromptSignals?, hides: Bool
  ) throws(VaultError) -> Secret {
    let mode = try TerminalMode(descriptor, hides: hides, takesKeys: signals == nil)
    defer { mode.restore() }
    try Descriptor.write(Printable.text(prompt), to: descriptor)
    var length = 0
    do throws(VaultError) {
      // `readLine` fills no more than the buffer that it gets.
      let line = try unsafe Secret(count: Self.longestLine) { buffer throws(VaultError) in
        length = try unsafe readLine(into: buffer, signals, mode, prompt)
      }
      return line.prefix(length)
    } catch {
      endLine()
      throw error
    }
  }

  /// Ends the line of an unanswered question, so that a message about it starts on a new line.
  private func endLine() {
    guard isInForeground else { return }
    do throws(VaultError) {
      try Descriptor.write("\n", to: descriptor)
    } catch {
      // The terminal is gone.
      return
    }
  }

  private func readLine(
    into buffer: UnsafeMutableRawBufferPointer, _ signals: PromptSignals?, _ mode: TerminalMode,
    _ prompt: String
  ) throws(VaultError) -> Int {
    var length = 0
    while true {
      switch try nextByte(signals) {
      case .stop:
        try mode.suspended { () throws(VaultError) in try stop(signals) }
        try Descriptor.write(Printable.text(prompt), to: descriptor)
        length = 0
      case .byte(UInt8(ascii: "\n")):
        return length
      case .byte(let byte):
        guard length < buffer.count else { throw VaultError(.tooLarge, "the line is too long") }
        // Below the count, as was just checked.
        unsafe buffer[length] = byte
        length += 1
      }
    }
  }

  private enum Key {
    case byte(UInt8)
    case stop
  }

  private func nextByte(_ signals: PromptSignals?) throws(VaultError) -> Key {
    while true {
      if let signal = try signals?.wait(for: descriptor) {
        guard signal == SIGTSTP else { throw VaultError(.interrupted, "interrupted") }
        return .stop
      }
      try wakeUp?.wait(for: descriptor)
      var byte: UInt8 = 0
      // One byte into a variable of ours.
      let count = unsafe Glibc.read(descriptor, &byte, 1)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count == 1 else {
        throw VaultError(.missingInput, "the terminal's input ended")
      }
      guard signals == nil else { return .byte(byte) }
      if byte == TerminalMode.interrupt { throw VaultError(.interrupted, "interrupted") }
      return byte == TerminalMode.stop ? .stop : .byte(byte)
    }
  }

  /// Stops the process until it is continued.
  private func stop(_ signals: PromptSignals?) throws(VaultError) {
    if let signals { return signals.stop() }
    // The terminal would also have sent it to the whole group. It may stop this thread a moment
    // later.
    kill(0, SIGTSTP)
    _ = poll(nil, 0, 100)
    // Continued in the background: another program uses the terminal now.
    guard isInForeground else {
      throw VaultError(.missingInput, "the terminal is used by another program")
    }
  }
}
