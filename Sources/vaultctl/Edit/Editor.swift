import Glibc
import VaultModel

/// The user's editor: `$VISUAL`, else `$EDITOR`, else `vi` on a terminal.
struct Editor {
  private let command: String

  /// - Throws: ``VaultError/Code/unavailable`` if none is named and there is no terminal.
  init(hasTerminal: Bool) throws(VaultError) {
    guard
      let command = Environment.value("VISUAL") ?? Environment.value("EDITOR")
        ?? (hasTerminal ? "vi" : nil)
    else { throw VaultError(.unavailable, "VISUAL and EDITOR name no editor") }
    self.command = command
  }

  /// Holds back the signals that end this process, until its end.
  ///
  /// It ends soon by itself, and has to wipe the file first. Ctrl-C and Ctrl-\ are the editor's.
  static func holdSignals() {
    _ = signal(SIGINT, SIG_IGN)
    _ = signal(SIGQUIT, SIG_IGN)
    var held = sigset_t()
    // The set is ours.
    unsafe sigemptyset(&held)
    for number in [SIGTERM, SIGHUP] { unsafe sigaddset(&held, number) }
    _ = unsafe pthread_sigmask(SIG_BLOCK, &held, nil)
  }

  /// Runs the editor over a file and waits for its end.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if it cannot be run or fails.
  func edit(_ file: String) throws(VaultError) {
    let child = try spawn(file)
    var status: Int32 = 0
    // The status is ours.
    while unsafe waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else {
        throw VaultError(.unavailable, "the editor", underlying: .errno(errno))
      }
    }
    guard status == 0 else {
      throw VaultError(.unavailable, "the editor failed, and nothing was changed")
    }
  }

  /// Starts the editor by the shell, since the variable can have options; the file is an argument.
  private func spawn(_ file: String) throws(VaultError) -> pid_t {
    var attributes = posix_spawnattr_t()
    var (ours, none) = (sigset_t(), sigset_t())
    // The structures are ours, and filled before they are used.
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    unsafe sigemptyset(&ours)
    unsafe sigemptyset(&none)
    for number in [SIGINT, SIGQUIT, SIGPIPE] { unsafe sigaddset(&ours, number) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &ours)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    let words = ["sh", "-c", "\(command) \"$1\"", "vaultctl", file]
    // The copies end with NUL, and live until the call has returned.
    var copies = unsafe words.map { unsafe strdup($0) } + [nil]
    defer {
      for index in words.indices { unsafe free(copies[index]) }
    }
    var child: pid_t = 0
    let error = unsafe ChildEnvironment().withPointers { variables in
      unsafe posix_spawn(&child, "/bin/sh", nil, &attributes, &copies, variables)
    }
    guard error == 0 else { throw VaultError(.unavailable, "/bin/sh", underlying: .errno(error)) }
    return child
  }
}
