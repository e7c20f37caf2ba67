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
