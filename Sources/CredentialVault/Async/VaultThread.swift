import Dispatch
import Synchronization
package import VaultModel

/// A thread that runs the async forms of functions which may wait.
///
/// A wait for a file lock, a sync, Argon2id or another process would hold up every other task if it
/// happened on the cooperative pool. Dispatch starts a thread for the queue when there is work, and
/// ends it afterwards. The work runs within the task, so that a wait can see its cancellation.
final class VaultThread: TaskExecutor {
  private let queue = DispatchQueue(label: "credential-vault")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedTaskExecutor()
    // The queue runs each job once; the task keeps its executor, which keeps the queue.
    queue.async { unsafe job.runSynchronously(on: executor) }
  }

  /// Runs `body` on the thread, after all work that is already queued there.
  ///
  /// - Throws: ``VaultError/Code/interrupted`` if the task is cancelled before `body` begins.
  @concurrent
  func run<R: Sendable>(
    _ body: @Sendable () throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    try await withTaskExecutorPreference(self) { () async throws(VaultError) -> R in
      guard !Task.isCancelled else { throw VaultError.cancelled }
      return try body()
    }
  }

  /// Runs a closure of the user on the thread, as ``run(_:)`` does; it may throw any error.
  @concurrent
  func runUserClosure<R: Sendable>(_ body: @Sendable () throws -> R) async throws -> R {
    try await withTaskExecutorPreference(self) { () async throws -> R in
      guard !Task.isCancelled else { throw VaultError.cancelled }
      return try body()
    }
  }
}

extension Vault {
  /// Runs `body` on the vault's own thread, for several steps in a row that may wait.
  ///
  /// - Throws: Any error of `body`; ``VaultError/Code/interrupted`` if the task is cancelled before
  ///   it begins.
  package func waiting<R: Sendable>(
    _ body: @Sendable () throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    try await thread.run(body)
  }
}
