import CProcess
import Glibc

/// The first steps of the process: no crash, dump or other process may see a secret.
enum ProcessHardening {
  static func apply() {
    // Not dumpable: no core, and no ptrace or /proc/PID/mem for others of the same user. The limit
    // matters if cores go to a file; a piped handler ignores it.
    _ = vaultctl_forbid_dumps()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    // The structure is ours.
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    letCrashesBeSilent()
    // With this, a reader that is gone causes an error of write, with our exit status.
    signal(SIGPIPE, SIG_IGN)
    umask(0o077)
    reserveStandardDescriptors()
  }

  /// Disables Swift's crash handler, which prints registers, where short secrets may be.
  ///
  /// The signals are also unblocked: a parent that runs threads may have left them blocked, and
  /// then `abort` does not end the process.
  private static func letCrashesBeSilent() {
    var signals = sigset_t()
    // The set is ours.
    unsafe sigemptyset(&signals)
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT] {
      signal(number, SIG_DFL)
      unsafe sigaddset(&signals, number)
    }
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Opens descriptors 0 to 2 if the caller closed them, so that no file of ours gets such a number
  /// and is read as input or overwritten by a message.
  ///
  /// They are open in the other direction: reading and writing fail instead of doing nothing.
  private static func reserveStandardDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
      // A literal, which ends with NUL.
      _ = unsafe open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
