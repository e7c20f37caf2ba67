import Glibc
package import VaultModel

/// The whole terminal, which a list fills for a while: the alternate screen, read key by key.
///
/// Nothing of it is in the terminal's scrollback, and it is erased before the terminal shows again
/// what it showed before. A signal that ends the program restores it too; after SIGKILL, which no
/// program can handle, ``erase(_:)`` is for another process.
package final class FullScreen {
  /// Something that happened at the terminal.
  package enum Event {
    /// Keys, as the terminal sends them; one or more bytes.
    case keys([UInt8])
    /// The size has changed, or the program was stopped and continued: everything has to be drawn.
    case resized
  }

  package let descriptor: Int32
  private let mode: TerminalMode
  private let signals: PromptSignals
  private var isShown = false

  private static let begin = "\u{1B}[?1049h\u{1B}[H\u{1B}[2J"
  private static let end = "\u{1B}[H\u{1B}[2J\u{1B}[?1049l"
  /// The time in which the rest of a key's bytes arrives.
  private static let restOfKey: Int32 = 50

  /// Whether the terminal that the environment names can be drawn on.
  package static func isPossible(terminal: String?) -> Bool {
    guard let terminal, !terminal.isEmpty else { return false }
    return terminal != "dumb"
  }

  /// Takes the terminal, until ``leave()``.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if there is none, or this process is in its
  ///   background.
  package init() throws(VaultError) {
    // A literal, which ends with NUL.
    let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw VaultError(.unavailable, "there is no terminal") }
    guard tcgetpgrp(descriptor) == getpgrp() else {
      close(descriptor)
      throw VaultError(.unavailable, "the terminal is used by another program")
    }
    do throws(VaultError) {
      signals = try PromptSignals(and: [SIGWINCH])
      mode = try TerminalMode(byKey: descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    try enter()
  }

  deinit {
    leave()
    close(descriptor)
  }

  /// The columns and rows.
  package var size: (columns: Int, rows: Int) {
    var size = winsize()
    // The structure is ours, and of the type that the request fills.
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Writes text with the terminal's commands in it.
  package func write(_ text: String) throws(VaultError) {
    try Descriptor.write(text, to: descriptor)
  }

  /// Writes bytes that may be secret.
  package func write(_ bytes: RawSpan) throws(VaultError) {
    try Descriptor.write(bytes, to: descriptor)
  }

  /// Erases everything and gives the terminal back; does nothing the second time.
  package func leave() {
    guard isShown else { return }
    hide()
    mode.restore()
    signals.end()
  }

  /// Waits for the next key or change.
  ///
  /// - Throws: ``VaultError/Code/interrupted`` after a signal, such as that of Ctrl-C;
  ///   ``VaultError/Code/missingInput`` if the terminal is gone.
  package func next() throws(VaultError) -> Event {
    while true {
      switch try signals.wait(for: descriptor) {
      case nil:
        let keys = try read()
        if !keys.isEmpty { return .keys(keys) }
      case SIGWINCH: return .resized
      case SIGTSTP:
        hide()
        try mode.suspended { () throws(VaultError) in signals.stop() }
        try enter()
        return .resized
      default: throw VaultError(.interrupted, "interrupted")
      }
    }
  }

  /// Erases the alternate screen of a terminal that a killed program has left, and gives the
  /// terminal back.
  package static func erase(_ descriptor: Int32) throws(VaultError) {
    try Descriptor.write(end, to: descriptor)
    TerminalMode.repair(descriptor)
  }

  private func enter() throws(VaultError) {
    isShown = true
    try write(Self.begin)
  }

  private func hide() {
    isShown = false
    do throws(VaultError) {
      try write(Self.end)
    } catch {
      // The terminal is gone, and what it showed with it.
      return
    }
  }

  /// Reads what was typed; a key that is several bytes is read as a whole.
  private func read() throws(VaultError) -> [UInt8] {
    var keys = [UInt8](repeating: 0, count: 4096)
    // As many bytes as the array has.
    let count = unsafe Glibc.read(descriptor, &keys, keys.count)
    guard count > 0 else {
      if count < 0, errno == EINTR || errno == EAGAIN { return [] }
      throw VaultError(.missingInput, "the terminal's input ended")
    }
    keys.removeLast(keys.count - count)
    guard keys.last == 0x1B else { return keys }
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // One structure of ours.
    guard unsafe poll(&event, 1, Self.restOfKey) > 0 else { return keys }
    return keys + (try read())
  }
}
