import CVaultSystem
import Glibc
import VaultModel

/// The terminal settings during a prompt, until they are restored.
final class TerminalMode {
  private let descriptor: Int32
  private let before: termios
  private let prompt: termios
  /// When the change takes effect: after what was typed ahead is dropped, or with it kept.
  private let change: Int32
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
    // Off while a program reads keys, which may prompt for a line in between.
    settings.c_iflag |= tcflag_t(ICRNL)
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
    // Drops what was typed, and shown, before the question.
    change = TCSAFLUSH
    apply()
  }

  /// Changes the terminal settings so that each key is read at once, and none is shown.
  ///
  /// Ctrl-C, Ctrl-Z and Ctrl-\ are still signals. What was typed ahead is read.
  ///
  /// - Throws: ``VaultError/Code/inputOutput`` if it is no longer a terminal.
  init(byKey descriptor: Int32) throws(VaultError) {
    var settings = termios()
    // The structure is ours.
    guard unsafe tcgetattr(descriptor, &settings) == 0 else {
      throw VaultError(.inputOutput, "the terminal", underlying: .errno(errno))
    }
    self.descriptor = descriptor
    before = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHONL | IEXTEN)
    settings.c_lflag |= tcflag_t(ISIG)
    settings.c_iflag &= ~tcflag_t(ICRNL | INLCR | IXON)
    // A tuple, so that an index must be a number that is written here.
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
      unsafe keys[Int(VMIN)] = 1
      unsafe keys[Int(VTIME)] = 0
    }
    prompt = settings
    change = TCSADRAIN
    apply()
  }

  /// Gives a terminal the settings of a shell, after a program that read it key by key was killed.
  static func repair(_ descriptor: Int32) {
    var settings = termios()
    // The structure is ours.
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return }
    settings.c_lflag |= tcflag_t(ICANON | ECHO | IEXTEN | ISIG)
    settings.c_iflag |= tcflag_t(ICRNL | IXON)
    // The structure is ours.
    _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
  }

  /// Restores the terminal while `body` runs.
  func suspended(_ body: () throws(VaultError) -> Void) throws(VaultError) {
    restore()
    try body()
    apply()
  }

  private func apply() {
    var settings = prompt
    // The structure is ours.
    _ = unsafe tcsetattr(descriptor, change, &settings)
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

/// The signals that must not end or stop the program while the terminal hides the input.
///
/// They are blocked and read from a descriptor until ``end()``, so nothing runs in a signal
/// handler. Only this thread blocks them: a program with several threads needs a ``WakeUp``
/// instead.
final class PromptSignals {
  private let descriptor: Int32
  private let previous: sigset_t

  private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

  /// - Parameter others: Signals to be read beside those.
  /// - Throws: ``VaultError/Code/unavailable`` if there is no descriptor for them.
  init(and others: [Int32] = []) throws(VaultError) {
    var signals = Self.set(Self.numbers + others)
    var previous = sigset_t()
    // Both sets are ours.
    _ = unsafe pthread_sigmask(SIG_BLOCK, &signals, &previous)
    let opened = unsafe vaultctl_signal_descriptor(&signals)
    guard opened >= 0 else {
      let number = errno
      // The mask that was just read.
      _ = unsafe pthread_sigmask(SIG_SETMASK, &previous, nil)
      throw VaultError(.unavailable, "signals", underlying: .errno(number))
    }
    self.previous = previous
    descriptor = opened
  }

  /// Restores the signal mask; signals that arrived meanwhile take effect now.
  func end() {
    close(descriptor)
    var previous = previous
    // The set is ours.
    _ = unsafe pthread_sigmask(SIG_SETMASK, &previous, nil)
  }

  /// Waits until the descriptor can be read, or returns a signal that arrived first.
  func wait(for input: Int32) throws(VaultError) -> Int32? {
    guard try Descriptor.wait(for: input, or: descriptor) else { return nil }
    var record = signalfd_siginfo()
    // One record into a variable of ours; signalfd never gives a part of one.
    let count = unsafe read(descriptor, &record, MemoryLayout<signalfd_siginfo>.size)
    guard count == MemoryLayout<signalfd_siginfo>.size else { return nil }
    return Int32(record.ssi_signo)
  }

  /// Stops the process as Ctrl-Z does, until it is continued.
  func stop() {
    var signals = Self.set([SIGTSTP])
    // The set is ours.
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    kill(getpid(), SIGTSTP)
    _ = unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private static func set(_ numbers: [Int32]) -> sigset_t {
    var signals = sigset_t()
    // The set is ours.
    unsafe sigemptyset(&signals)
    for number in numbers { unsafe sigaddset(&signals, number) }
    return signals
  }
}
