import CVaultSystem
import Glibc
import SecureMemory
import VaultStore

/// The first steps of the process: no crash, dump or other process may see a secret.
public enum ProcessHardening: Sendable {
  /// Takes them, before the process has another thread.
  ///
  /// Only programs may: signals, limits and the mask of modes are the whole process's.
  ///
  /// - Parameter command: The name that the log of changes has beside the program's; nil for none.
  public static func apply(command: String? = nil) {
    if let command { LogAuthor.setCommand(command) }
    // Not dumpable: no core, and no ptrace or /proc/PID/mem for others of the same user. The limit
    // matters if cores go to a file; a piped handler ignores it. Only the soft limit: a hard one
    // could not be taken back for the command that exec runs.
    _ = vaultctl_forbid_dumps()
    var state = Inherited()
    let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    // Both structures are ours.
    if unsafe getrlimit(core, &state.core) == 0 {
      var none = rlimit(rlim_cur: 0, rlim_max: state.core.rlim_max)
      state.hasCore = unsafe setrlimit(core, &none) == 0
    }
    letCrashesBeSilent(&state)
    // With these, a reader that is gone and a file that may not grow under `ulimit -f` cause an
    // error of write, with our exit status.
    for number in errorsOfWrite where isIgnored(signal(number, SIG_IGN)) {
      state.ignored.append(number)
    }
    // While it is ignored, the kernel drops the exit status of a program that is started here.
    if isIgnored(signal(SIGCHLD, SIG_DFL)) { state.ignored.append(SIGCHLD) }
    state.umask = umask(0o077)
    let complete = state
    inherited.withLock { $0 = complete }
    // After the signals were set: those that end the process remove its drafts.
    Draft.endWithSignals()
    reserveStandardDescriptors()
  }

  /// Gives back what the process was started with, for the command that it becomes.
  ///
  /// The command is dumpable again without this: execve(2) makes it so.
  package static func restore() {
    guard var state = inherited.withLock({ $0 }) else { return }
    if state.hasCore {
      // The structure is ours; the soft limit rises to where it was.
      _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &state.core)
    }
    for number in errorsOfWrite { signal(number, SIG_DFL) }
    for number in state.ignored { signal(number, SIG_IGN) }
    umask(state.umask)
    // The set is the one that the same call gave.
    _ = unsafe pthread_sigmask(SIG_SETMASK, &state.signals, nil)
  }

  /// The signals for what a call of write also reports.
  private static let errorsOfWrite = [SIGPIPE, SIGXFSZ]

  /// The settings of the parent process that hardening changed.
  private struct Inherited {
    var core = rlimit()
    var hasCore = false
    var signals = sigset_t()
    var ignored: [Int32] = []
    var umask: mode_t = 0
  }

  private static let inherited = Lock(Inherited?.none)

  /// Disables Swift's crash handler, which prints registers, where short secrets may be.
  ///
  /// The signals are also unblocked: a parent that runs threads may have left them blocked, and
  /// then `abort` does not end the process.
  private static func letCrashesBeSilent(_ state: inout Inherited) {
    var signals = sigset_t()
    // The sets are ours.
    unsafe sigemptyset(&signals)
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT] {
      if isIgnored(signal(number, SIG_DFL)) { state.ignored.append(number) }
      unsafe sigaddset(&signals, number)
    }
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &signals, &state.signals)
  }

  private static func isIgnored(_ handler: __sighandler_t?) -> Bool {
    // SIG_IGN is the address 1, where no function is.
    unsafe unsafeBitCast(handler, to: Int.self) == 1
  }

  /// Opens descriptors 0 to 2 if the caller closed them, so that no file of ours gets such a number
  /// and is read as input or overwritten by a message.
  ///
  /// They are open in the other direction: reading and writing fail instead of doing nothing. A
  /// command that this process becomes finds them closed again.
  private static func reserveStandardDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
      // A literal, which ends with NUL.
      _ = unsafe open(
        "/dev/null", (number == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
    }
  }
}
