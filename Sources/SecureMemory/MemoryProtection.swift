import CSodium
import Glibc

/// How well the system protects the memory that secrets and keys are in.
public enum MemoryProtection: Sendable {
  /// What was locked against being swapped out, at one moment.
  ///
  /// Locking fails when the process would exceed its `RLIMIT_MEMLOCK` (`ulimit -l`). The memory is
  /// used all the same, with its other protections.
  public struct Report: Sendable {
    /// The bytes mapped for secrets and keys that stay in physical memory.
    public let lockedBytes: Int

    /// The bytes mapped for secrets and keys that may be swapped out.
    ///
    /// In a forked child these include all that was mapped before the fork.
    public let unlockedBytes: Int

    /// The system's error number of the first failure to lock, nil if there was none.
    public let lockErrno: Int32?
  }

  /// How many bytes this process may lock (`RLIMIT_MEMLOCK`); nil without a limit.
  public static var lockLimit: UInt64? { limit(__RLIMIT_MEMLOCK) }

  /// How large a core of this process may be (`RLIMIT_CORE`); nil without a limit.
  public static var coreLimit: UInt64? { limit(RLIMIT_CORE) }

  /// Whether a crash may leave a core, and a debugger of the same user may attach.
  public static var isDumpable: Bool { vault_is_dumpable() != 0 }

  /// Whether the kernel itself shows a forked child zeros where its parent's keys are, by whatever call it
  /// was made; if not, the C library's `fork` sees to it.
  public static var wipesKeysInChildren: Bool { Region.canBeWipedByKernel }

  private static func limit(_ resource: __rlimit_resource) -> UInt64? {
    var limit = rlimit()
    // The structure is ours.
    guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0,
      limit.rlim_cur != rlim_t.max
    else { return nil }
    return UInt64(limit.rlim_cur)
  }

  /// The present state of this process.
  public static var report: Report {
    let secrets = Arena.secrets.report
    let keys = Arena.keys.report
    return Report(
      lockedBytes: secrets.lockedBytes + keys.lockedBytes,
      unlockedBytes: secrets.unlockedBytes + keys.unlockedBytes,
      lockErrno: secrets.lockErrno ?? keys.lockErrno)
  }
}
