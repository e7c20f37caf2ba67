import Dispatch
import VaultModel

/// A thread that runs the async forms of functions which may wait, one at a time, in the order of
/// the calls.
///
/// A wait for a file lock, a sync, Argon2id or another process would hold up every other task if it
/// happened on the cooperative pool. Dispatch starts a thread for the queue when there is work, and
/// ends it afterwards. The work runs within the task, so that a wait can see its cancellation.
package final class VaultThread: TaskExecutor {
  // Serial: Dispatch starts a thread for each serial queue with work, but for concurrent ones no
  // more than the machine has cores, even if all of these wait.
  private let queue = DispatchQueue(label: "credential-vault")
  /// Calls wait for their turn before the queue, which would not let go of a cancelled one.
  private let turns = Turns()

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedTaskExecutor()
    // The queue runs each job once; the task keeps its executor, which keeps the queue.
    queue.async { unsafe job.runSynchronously(on: executor) }
  }

  /// Runs `body` on the thread, after all calls that came before.
  ///
  /// - Throws: ``VaultError/Code/interrupted`` if the task is cancelled before `body` begins.
  @concurrent
  package func run<R: Sendable>(
    _ body: @Sendable () throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    try await turns.take()
    return try await withTaskExecutorPreference(self) { () async throws(VaultError) -> R in
      defer { turns.pass() }
      guard !Task.isCancelled else { throw VaultError.cancelled }
      return try body()
    }
  }
}
