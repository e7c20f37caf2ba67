import SecureMemory
import VaultModel

/// The timer that enforces the limits of the queue.
struct QueueTimer {
  let mark: QueueMark
  let deadline: Duration
  let task: Task<Void, Never>
}

/// Limits on waiting.
extension PromptQueue {
  /// Makes sure that the limits are checked by this time; one timer serves all waiters.
  func watch(_ state: inout PromptQueueState, until deadline: Duration) {
    if let timer = state.timer, timer.deadline <= deadline { return }
    unwatch(&state)
    let mark = QueueMark()
    state.timer = QueueTimer(
      mark: mark, deadline: deadline,
      task: Task.detached {
        await self.clock.sleep(until: deadline)
        self.expire(mark)
      })
  }

  /// Cancels the timer.
  func unwatch(_ state: inout PromptQueueState) {
    if let timer = state.timer { state.effects.append(.cancel(timer.task)) }
    state.timer = nil
  }

  /// Ends the waiters whose limit has passed; does nothing for a timer that was cancelled or
  /// replaced.
  private func expire(_ mark: QueueMark) {
    change { state in
      guard state.timer?.mark === mark else { return }
      state.timer = nil
      let now = clock.now()
      let outcome = QueueWaiter.Outcome.failure(VaultError(.unavailable, "nobody answered"))
      // First the question: withdrawing it moves the queue, which renews the limits of those behind
      // it.
      if let question = state.question, !question.isWithdrawn, question.deadline <= now {
        state.end(outcome) { $0.key == question.key }
        state.withdraw(at: now)
      }
      let late = state
      state.end(outcome) { late.deadline(of: $0) <= now }
      withdrawIfUnwanted(&state)
      if let next = state.waiters.map({ state.deadline(of: $0) }).min() {
        watch(&state, until: next)
      }
    }
  }
}

/// The clock of a queue of prompts, as the time since some start.
package struct PromptClock: Sendable {
  /// The time now.
  let now: @Sendable () -> Duration
  private let wait: @Sendable (Duration) async -> Void

  /// Creates a clock from a closure that reads it, and one that waits until a time or until the
  /// task is cancelled.
  package init(
    now: @escaping @Sendable () -> Duration, wait: @escaping @Sendable (Duration) async -> Void
  ) {
    self.now = now
    self.wait = wait
  }

  /// The clock that continues while the machine sleeps.
  package static let continuous: PromptClock = {
    let beginning = ContinuousClock.now
    return PromptClock(
      now: { beginning.duration(to: .now) },
      wait: { time in
        do {
          try await Task.sleep(until: beginning.advanced(by: time), clock: .continuous)
        } catch {
          // Cancelled: nobody needs this timer any more.
        }
      })
  }()

  /// Waits until a time, or until the task is cancelled.
  func sleep(until time: Duration) async { await wait(time) }

  /// Returns a limit that can be added to any time: not negative, and at most some 34 years.
  static func bounded(_ limit: Duration) -> Duration {
    min(max(limit, .zero), .seconds(1 << 30))
  }
}
