public import CForkSupport
import Glibc

/// A program that runs in a folder, in a session of its own, with no signal blocked and with no
/// descriptor but the standard ones, whatever other tests have open meanwhile.
///
/// Foundation's `Process` passes on the signal mask of the thread that starts the program, and
/// Dispatch's threads block SIGTERM, so that neither `terminate()` nor `timeout` would end it.
public struct RunningProgram: Sendable {
  /// An error of the system.
  public struct Failure: Error {
    /// Its number.
    public let errno: Int32
  }

  /// The number of its process.
  public let identifier: pid_t

  /// Starts `words[0]`, found on the PATH of `environment`; the descriptors stay the caller's.
  ///
  /// It has no terminal, or `input` is its terminal.
  public init(
    _ words: [String], environment: [String: String], folder: String,
    input: Int32, output: Int32, errors: Int32, hasTerminal: Bool = false
  ) throws {
    // The four are initialised below, and used by nobody else.
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    var none = sigset_t()
    var all = sigset_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    defer {
      // Both were initialised above.
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for (number, descriptor) in [input, output, errors].enumerated() {
      // Initialised above, like the attributes and the sets, which are copied.
      unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    // As above.
    unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let line = ["env", "-C", folder, "setsid"] + (hasTerminal ? ["--ctty"] : []) + words
    // The copies live until the spawn is over, and are freed once.
    var arguments = unsafe line.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
    defer { unsafe (arguments + variables).forEach { text in unsafe free(text) } }
    var identifier: pid_t = 0
    let status = unsafe posix_spawn(
      &identifier, "/usr/bin/env", &actions, &attributes, &arguments, &variables)
    guard status == 0 else { throw Failure(errno: status) }
    self.identifier = identifier
  }

  /// Asks the program to end, with SIGTERM.
  public func terminate() { kill(identifier, SIGTERM) }

  /// Ends the program, and waits for its end: a child that nobody waits for keeps Swift Testing
  /// from seeing the end of the processes of later tests.
  public func end() {
    terminate()
    do {
      _ = try wait()
    } catch {
      // It fails only for a program that was waited for before.
    }
  }

  /// Whether the program has not ended yet.
  public var isRunning: Bool {
    get throws {
      // The structure is ours, and stays 0 while the program runs.
      var state = unsafe siginfo_t()
      let status = unsafe waitid(P_PID, id_t(identifier), &state, WEXITED | WNOHANG | WNOWAIT)
      guard status == 0 else { throw Failure(errno: errno) }
      return unsafe state._sifields._sigchld.si_pid == 0
    }
  }

  /// Waits for the end and returns the exit status, or 128 and the signal's number, as a shell
  /// reports it.
  public func wait() throws -> Int32 {
    var status: Int32 = 0
    // The status is this function's own.
    while unsafe waitpid(identifier, &status, 0) == -1 {
      guard errno == EINTR else { throw Failure(errno: errno) }
    }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}
