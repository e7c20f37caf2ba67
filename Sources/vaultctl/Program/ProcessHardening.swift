import CProcess
import Glibc

/// What the process does before it looks at anything: no crash, dump or neighbour may see a secret.
enum ProcessHardening {
  static func apply() {
    // Not dumpable: no core, and no ptrace or /proc/PID/mem for others of the same user.
    // The limit matters where cores go to a file; a piped handler ignores it.
    _ = vaultctl_forbid_dumps()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    // The structure is ours.
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    letCrashesBeSilent()
    // A reader that is gone is then an error of write, with our exit status.
    signal(SIGPIPE, SIG_IGN)
    umask(0o077)
    reserveStandardDescriptors()
  }

  /// Swift's crash handler prints registers, and short secrets live in registers.
  ///
  /// The signals are let through, too: a parent that runs threads may have left them blocked, and
  /// then `abort` is not the end.
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

  /// Fills descriptors 0 to 2 where the caller closed them, so that no file of ours gets such a
  /// number and is read as input or overwritten by a message.
  ///
  /// They are open in the other direction: reading and writing fail instead of doing nothing.
  private static func reserveStandardDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
      // A literal, which ends with NUL.
      _ = unsafe open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
