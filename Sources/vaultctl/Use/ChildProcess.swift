import Glibc
import VaultModel

/// A program that `vaultctl` starts, with the environment of ``ChildEnvironment``.
struct ChildProcess {
  private let identifier: pid_t

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: Its name and its arguments, without secrets.
  ///   - path: Its path; nil finds the name on the PATH.
  ///   - input: Its standard input; nil for none.
  ///   - output: Its standard output; nil for none. It has no standard error: a program that goes
  ///     on in the background would keep it open.
  /// - Throws: ``VaultError/Code/unavailable`` if it cannot be started.
  init(
    _ words: [String], at path: String? = nil, input: Int32? = nil, output: Int32? = nil
  ) throws(VaultError) {
    // Both are initialised below, and used by nobody else.
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    var signals = sigset_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for (number, descriptor) in [input, output, nil].enumerated() {
      // As above; the path is a literal.
      if let descriptor {
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
      } else {
        unsafe posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
      }
    }
    // SIGPIPE is ignored here, which a program would inherit.
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    // The copies live until the spawn is over, and are freed once.
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { text in unsafe free(text) } }
    var identifier: pid_t = 0
    let status = unsafe ChildEnvironment().withPointers { variables in
      unsafe posix_spawnp(
        &identifier, path ?? words[0], &actions, &attributes, &arguments, variables)
    }
    guard status == 0 else {
      throw VaultError(.unavailable, words[0], underlying: .errno(status))
    }
    self.identifier = identifier
  }

  /// Waits for its end, and kills it if that does not come within ten seconds.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if it does not end with status 0.
  func wait(for name: String) throws(VaultError) {
    let end = ContinuousClock.now + .seconds(10)
    var status: Int32 = 0
    while true {
      // The status is this function's own.
      let ended = unsafe waitpid(identifier, &status, WNOHANG)
      if ended == identifier { break }
      guard ended == 0 || errno == EINTR else {
        throw VaultError(.unavailable, name, underlying: .errno(errno))
      }
      guard ContinuousClock.now < end else {
        kill(identifier, SIGKILL)
        _ = unsafe waitpid(identifier, &status, 0)
        throw VaultError(.unavailable, "\(name) does not end")
      }
      usleep(2000)
    }
    guard status == 0 else { throw VaultError(.unavailable, "\(name) failed") }
  }
}
