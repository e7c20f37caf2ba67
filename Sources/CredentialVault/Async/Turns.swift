import SecureMemory
import VaultModel

/// Turns that tasks take one at a time, first come, first served; a cancelled task stops waiting.
final class Turns: Sendable {
  private struct Waiter {
    let number: UInt64
    /// Resumed with whether the task got its turn.
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var isTaken = false
    /// The tasks that wait, the first one first.
    var waiters: [Waiter] = []
    var count: UInt64 = 0
  }

  private let state = Lock(State())

  /// Waits for the turn, which ``pass()`` ends.
  ///
  /// - Throws: ``VaultError/Code/interrupted`` if the task is cancelled before its turn.
  func take() async throws(VaultError) {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let hasTurn = await withTaskCancellationHandler {
      await withCheckedContinuation { enter(Waiter(number: number, continuation: $0)) }
    } onCancel: {
      leave(number)
    }
    guard hasTurn else { throw .cancelled }
  }

  /// Ends the turn, and gives it to the task that has waited longest.
  func pass() {
    let next = state.withLock { state -> Waiter? in
      state.isTaken = !state.waiters.isEmpty
      return state.isTaken ? state.waiters.removeFirst() : nil
    }
    next?.continuation.resume(returning: true)
  }

  private func enter(_ waiter: Waiter) {
    let hasTurn = state.withLock { state -> Bool? in
      // A task is marked as cancelled before its handler runs. A handler that ran too early, and
      // found nobody to remove, is therefore noticed here.
      guard !Task.isCancelled else { return false }
      guard state.isTaken else {
        state.isTaken = true
        return true
      }
      state.waiters.append(waiter)
      return nil
    }
    if let hasTurn { waiter.continuation.resume(returning: hasTurn) }
  }

  private func leave(_ number: UInt64) {
    let waiter = state.withLock { state in
      state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
    }
    // Outside the lock: resuming takes the task's own.
    waiter?.continuation.resume(returning: false)
  }
}
