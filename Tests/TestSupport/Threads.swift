import Dispatch
import Foundation

/// Runs what waits, for another program or a file, in a thread of its own.
///
/// Those that run tasks are as many as the machine has cores: whatever waits there, all tests wait with it.
package func inThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(with: Result(catching: body))
    }
  }
}

/// Runs `body` in so many threads of their own, which begin together, and waits for all of them.
///
/// Dispatch's `concurrentPerform` has no more threads than the machine has cores, however many turns it is given.
package func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let ready = DispatchGroup()
  let done = DispatchGroup()
  let begin = DispatchSemaphore(value: 0)
  for thread in 0..<count {
    ready.enter()
    done.enter()
    Thread.detachNewThread {
      ready.leave()
      begin.wait()
      body(thread)
      done.leave()
    }
  }
  ready.wait()
  for _ in 0..<count { begin.signal() }
  done.wait()
}
