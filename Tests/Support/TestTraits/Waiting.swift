import Foundation
public import Testing

/// Runs the tests of a suite that wait for other programs in threads of their own.
///
/// Tasks have as many threads as the machine has cores: a test that waits on one of them delays all
/// others, while the processor is idle.
public struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
  /// Also those of inner suites.
  public var isRecursive: Bool { true }

  /// Runs a test on a thread that may wait.
  @concurrent public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
  }
}

extension Trait where Self == WaitingTrait {
  /// The tests wait for other programs.
  public static var waiting: Self { WaitingTrait() }
}

extension Task where Failure == any Error {
  /// Begins work that waits for other programs, and that several tests need.
  ///
  /// It holds one of the threads for that, and the tests that await it hold none.
  public static func waiting(_ body: @escaping @Sendable () throws -> Success) -> Self {
    Task(executorPreference: WaitingThreads.shared) { try body() }
  }
}

/// A few threads that run whatever part of a task comes next.
private final class WaitingThreads: TaskExecutor, @unchecked Sendable {
  static let shared = WaitingThreads(count: 4)

  // Jobs are only touched under the condition's lock, so the class is safe to share.
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []

  private init(count: Int) {
    for _ in 0..<count { Thread.detachNewThread { self.run() } }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      condition.signal()
    }
  }

  private func run() -> Never {
    // There is one for the whole process, so it outlives its jobs.
    let executor = unsafe asUnownedTaskExecutor()
    while true { unsafe next().runSynchronously(on: executor) }
  }

  private func next() -> UnownedJob {
    condition.withLock {
      while jobs.isEmpty { condition.wait() }
      return jobs.removeFirst()
    }
  }
}
