import Dispatch
package import VaultModel

/// A thread that runs the async forms of functions which may wait, one at a time, in the order of
/// the calls.
///
/// A wait for a file lock, a sync, Argon2id or another process would hold up every other task if it
/// happened on the cooperative pool. Dispatch starts a thread for the queue when there is work, and
/// ends it afterwards. The work runs within the task, so that a wait can see its cancellation.
final class VaultThread: TaskExecutor {
  // Serial: Dispatch starts a thread for each serial queue with work, but for concurrent ones no
  // more than the machine has cores, even if all of these wait.
  private let queue = DispatchQueue(label: "credential-vault")
  /// Calls wait for their turn before the queue, which would not let go of a cancelled one.
  private let turns = Turns()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedTaskExecutor()
    // The queue runs each job once; the task keeps its executor, which keeps the queue.
    queue.async { unsafe job.runSynchronously(on: executor) }
  }

  /// Runs `body` on the thread, after all calls that came before.
  ///
  /// - Throws: ``VaultError/Code/interrupted`` if the task is cancelled before `body` begins.
  @concurrent
  func run<R: Sendable>(
    _ body: @Sendable () throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    try await turns.take()
    return try await withTaskExecutorPreference(self) { () async throws(VaultError) -> R in
      defer { turns.pass() }
      guard !Task.isCancelled else { throw VaultError.cancelled }
      return try body()
    }
  }

  /// Runs a closure of the user on the thread, as ``run(_:)`` does; it may throw any error.
  @concurrent
  func runUserClosure<R: Sendable>(_ body: @Sendable () throws -> R) async throws -> R {
    try await turns.take()
    return try await withTaskExecutorPreference(self) { () async throws -> R in
      defer { turns.pass() }
      guard !Task.isCancelled else { throw VaultError.cancelled }
      return try body()
    }
  }

  /// Runs a clean-up on a thread of its own: at once, whatever runs or waits on the vault's thread,
  /// and even if the task is cancelled.
  @concurrent
  static func cleanUp(
    _ body: @Sendable () throws(VaultError) -> Void
  ) async throws(VaultError) {
    try await withTaskExecutorPreference(VaultThread()) { () async throws(VaultError) in
      try body()
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

  /// Runs `body`, which may wait, and holds up no call of a vault, on a thread of its own.
  package static func waitingAlone<R: Sendable>(
    _ body: @Sendable () throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    try await VaultThread().run(body)
  }

  /// Runs a closure of the user on the vault's own thread, as ``waiting(_:)`` does; it may throw
  /// any error.
  package func waitingForUserClosure<R: Sendable>(
    _ body: @Sendable () throws -> R
  ) async throws -> R {
    try await thread.runUserClosure(body)
  }
}
