import Dispatch
import Foundation

/// Runs a function that waits, for another program or a file, in a thread of its own.
///
/// There are as many threads for tasks as the machine has cores: a wait on one of them delays all
/// tests.
public func inThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(with: Result(catching: body))
    }
  }
}

/// Runs `body` in that many threads of their own, which begin together, and waits for all of them.
///
/// Dispatch's `concurrentPerform` has no more threads than the machine has cores, however many
/// turns it is given.
public func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
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
