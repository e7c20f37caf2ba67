import Glibc
import VaultModel

/// The terminal settings during a prompt, until they are restored.
final class TerminalMode {
  private let descriptor: Int32
  private let before: termios
  private let prompt: termios
  private var isApplied = false

  /// Ctrl-C and Ctrl-Z, if they arrive as bytes.
  static let interrupt: UInt8 = 3
  static let stop: UInt8 = 26

  /// Changes the terminal settings.
  ///
  /// - Parameters:
  ///   - descriptor: The terminal.
  ///   - hides: Whether the input is hidden.
  ///   - takesKeys: Whether Ctrl-C and Ctrl-Z end the line and are read, instead of being signals:
  ///     a signal for the process goes to any of its threads, and an unhandled one would end it
  ///     with the terminal changed.
  /// - Throws: ``VaultError/Code/inputOutput`` if it is no longer a terminal.
  init(_ descriptor: Int32, hides: Bool, takesKeys: Bool) throws(VaultError) {
    var settings = termios()
    // The structure is ours.
    guard unsafe tcgetattr(descriptor, &settings) == 0 else {
      throw VaultError(.inputOutput, "the terminal", underlying: .errno(errno))
    }
    self.descriptor = descriptor
    before = settings
    settings.c_lflag |= tcflag_t(ICANON | ECHONL)
    settings.c_lflag &= ~tcflag_t(ECHO)
    if !hides { settings.c_lflag |= tcflag_t(ECHO | ECHOE | ECHOCTL) }
    if takesKeys {
      settings.c_lflag &= ~tcflag_t(ISIG)
      settings.c_lflag |= tcflag_t(IEXTEN)
      // A tuple, so that an index must be a number that is written here.
      unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
        unsafe keys[Int(VEOL)] = Self.interrupt
        unsafe keys[Int(VEOL2)] = Self.stop
      }
    }
    prompt = settings
    apply()
  }

  /// Restores the terminal while `body` runs.
  func suspended(_ body: () throws(VaultError) -> Void) throws(VaultError) {
    restore()
    try body()
    apply()
  }

  private func apply() {
    var settings = prompt
    // TCSAFLUSH drops what was typed, and shown, before the question.
    // The structure is ours.
    _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
    isApplied = true
  }

  /// Restores the terminal, and drops unread input.
  func restore() {
    guard isApplied else { return }
    var settings = before
    // The structure is ours.
    _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
    isApplied = false
  }
}
