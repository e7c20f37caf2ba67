import CredentialVault
import Dispatch
import SecureMemory
import TestSupport
import Testing

/// A task executor that tells when its task waits, and can hold up whoever resumes the task.
final class HeldExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "test")
  private let isHeld = Lock(false)
  private let hasResumer = DispatchSemaphore(value: 0)
  private let isReleased = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isHeld.withLock({ $0 }) {
      hasResumer.signal()
      isReleased.wait()
    }
    // The queue runs each job once; the task keeps its executor.
    let executor = unsafe asUnownedTaskExecutor()
    queue.async { unsafe job.runSynchronously(on: executor) }
  }

  /// Returns when the task that was created for this executor waits, or has ended.
  func finishJobs() { queue.sync {} }

  /// Holds up the next one who resumes the task, in the middle of that.
  func hold() { isHeld.withLock { $0 = true } }

  /// Returns when somebody is held up.
  func waitForResumer() async throws {
    try await inThread { self.hasResumer.wait() }
  }

  func release() {
    isHeld.withLock { $0 = false }
    isReleased.signal()
  }
}

/// An async transaction of a vault that lasts until the test ends it.
struct HeldTransaction {
  private let task: Task<Void, any Error>
  private let isOver: DispatchSemaphore

  init(_ vault: Vault) async throws {
    let (hasBegun, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    task = Task {
      try await vault.write { _ in
        hasBegun.signal()
        isOver.wait()
      }
    }
    self.isOver = isOver
    try await inThread { hasBegun.wait() }
  }

  func end() async throws {
    isOver.signal()
    try await task.value
  }
}

/// Begins `body` in a task, and returns when it waits.
func waiting<R: Sendable>(
  _ body: @escaping @Sendable () async throws -> R
) -> Task<R, any Error> {
  let executor = HeldExecutor()
  let task = Task(executorPreference: executor) { try await body() }
  executor.finishJobs()
  return task
}

/// Runs `body` in a task that is cancelled before, on a thread of its own: it may block.
func cancelled<R: Sendable>(
  _ body: @escaping @Sendable () async throws -> R
) -> Task<R, any Error> {
  let task = Task(executorPreference: HeldExecutor()) {
    while !Task.isCancelled { await Task.yield() }
    return try await body()
  }
  task.cancel()
  return task
}
