import CVaultSodium
import Glibc

/// The system's protection of the memory for secrets and keys.
package enum MemoryProtection: Sendable {
  /// The amount of memory that was locked against swapping, at one moment.
  ///
  /// Locking fails when the process would exceed its `RLIMIT_MEMLOCK` (`ulimit -l`). The memory is
  /// used anyway, with its other protections.
  package struct Report: Sendable {
    /// The bytes mapped for secrets and keys that stay in physical memory.
    package let lockedBytes: Int

    /// The bytes mapped for secrets and keys that may be swapped out.
    ///
    /// In a forked child, these include all memory mapped before the fork.
    package let unlockedBytes: Int

    /// The system's error number of the first failure to lock; nil if there was none.
    package let lockErrno: Int32?
  }

  /// The number of bytes that this process may lock (`RLIMIT_MEMLOCK`); nil without a limit.
  package static var lockLimit: UInt64? { limit(__RLIMIT_MEMLOCK) }

  /// The maximum size of a core dump of this process (`RLIMIT_CORE`); nil without a limit.
  package static var coreLimit: UInt64? { limit(RLIMIT_CORE) }

  /// Whether a crash may leave a core dump, and a debugger of the same user may attach.
  package static var isDumpable: Bool { vault_is_dumpable() != 0 }

  /// Whether the kernel itself shows a forked child zeros for its parent's keys, with any fork
  /// call.
  ///
  /// If not, a handler of the C library's `fork` wipes them.
  package static var wipesKeysInChildren: Bool { Region.canBeWipedByKernel }

  private static func limit(_ resource: __rlimit_resource) -> UInt64? {
    var limit = rlimit()
    // The structure is ours.
    guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0,
      limit.rlim_cur != rlim_t.max
    else { return nil }
    return UInt64(limit.rlim_cur)
  }

  /// The current state of this process.
  package static var report: Report {
    let secrets = Arena.secrets.report
    let keys = Arena.keys.report
    return Report(
      lockedBytes: secrets.lockedBytes + keys.lockedBytes,
      unlockedBytes: secrets.unlockedBytes + keys.unlockedBytes,
      lockErrno: secrets.lockErrno ?? keys.lockErrno)
  }
}
