import CVaultSystem
import Glibc
package import VaultModel

/// A program that this one starts, with the environment of ``ChildEnvironment`` and no descriptor
/// but its standard streams.
package struct ChildProcess {
  /// One of its standard streams.
  package enum Stream {
    case none
    /// The same as this process has.
    case inherited
    case descriptor(Int32)
  }

  private let name: String
  private let identifier: pid_t
  private let leadsGroup: Bool

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: Its name and its arguments, without secrets.
  ///   - path: Its path.
  ///   - input: Its standard input.
  ///   - output: Its standard output.
  ///   - errors: Its standard error, which stays open if it continues in the background.
  ///   - leadsGroup: Whether it and what it starts are a group of their own, for ``kill()``.
  /// - Throws: ``VaultError/Code/unavailable`` if it cannot be started.
  package init(
    _ words: [String], at path: String, input: Stream = .none, output: Stream = .none,
    errors: Stream = .none, leadsGroup: Bool = false
  ) throws(VaultError) {
    name = words[0]
    self.leadsGroup = leadsGroup
    // Both are initialised below and used only here.
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for (number, stream) in zip(STDIN_FILENO..., [input, output, errors]) {
      // As above; the path is a literal.
      switch stream {
      case .none:
        unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      case .inherited: break
      case .descriptor(let descriptor):
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, number)
      }
    }
    // An app that uses the library has descriptors of its own: in here they would keep a pipe open
    // on whose end somebody waits.
    unsafe vaultctl_close_from(&actions, STDERR_FILENO + 1)
    var (reset, blocked) = (sigset_t(), sigset_t())
    // The other program would inherit the signals that this one ignores or blocks.
    unsafe sigemptyset(&reset)
    unsafe sigemptyset(&blocked)
    for number in [SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ] { unsafe sigaddset(&reset, number) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &reset)
    unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
    let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group))

    // The copies live until the spawn is over, and are freed once.
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { text in unsafe free(text) } }
    var identifier: pid_t = 0
    let status = unsafe ChildEnvironment().withPointers { variables in
      unsafe posix_spawn(&identifier, path, &actions, &attributes, &arguments, variables)
    }
    guard status == 0 else { throw VaultError(.unavailable, name, underlying: .errno(status)) }
    self.identifier = identifier
  }

  /// Waits for its end.
  ///
  /// - Parameter limit: The time after which it is killed.
  /// - Returns: Its exit status; 128 and the number if a signal ended it.
  /// - Throws: ``VaultError/Code/unavailable`` if it does not end in time.
  package func end(within limit: Duration? = nil) throws(VaultError) -> Int32 {
    let end = limit.map { ContinuousClock.now + $0 }
    var status: Int32 = 0
    while true {
      // The status is this function's own.
      let ended = unsafe waitpid(identifier, &status, end == nil ? 0 : WNOHANG)
      if ended == identifier { break }
      guard ended == 0 || errno == EINTR else {
        throw VaultError(.unavailable, name, underlying: .errno(errno))
      }
      guard let end else { continue }
      guard ContinuousClock.now < end else {
        kill()
        throw VaultError(.unavailable, "\(name) does not end")
      }
      usleep(2000)
    }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  /// Kills it, with its group if it leads one, and waits for it.
  ///
  /// It must not have been waited for before: the number would be another's.
  package func kill() {
    Glibc.kill(leadsGroup ? -identifier : identifier, SIGKILL)
    var status: Int32 = 0
    // The status is this function's own.
    _ = unsafe waitpid(identifier, &status, 0)
  }
}

/// The two descriptors of a pipe, which a program gets only as a standard stream; the owner closes
/// them.
package struct ChildPipe {
  package let readEnd: Int32
  package let writeEnd: Int32

  /// - Throws: ``VaultError/Code/unavailable`` if there are too many descriptors.
  package init() throws(VaultError) {
    var ends: [Int32] = [-1, -1]
    // Two descriptors into an array of two.
    guard unsafe vaultctl_pipe(&ends) == 0 else {
      throw VaultError(.unavailable, "a pipe", underlying: .errno(errno))
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }
}
