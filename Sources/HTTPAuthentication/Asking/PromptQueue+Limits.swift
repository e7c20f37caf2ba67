import SecureMemory
import VaultModel

/// What wakes the line at a limit.
struct LineTimer {
  let mark: LineMark
  let deadline: Duration
  let task: Task<Void, Never>
}

/// Nobody waits for ever.
extension PromptQueue {
  /// Sees to it that the limits are looked at by this time; one timer serves all that wait.
  func watch(_ state: inout PromptQueueState, until deadline: Duration) {
    if let timer = state.timer, timer.deadline <= deadline { return }
    unwatch(&state)
    let mark = LineMark()
    state.timer = LineTimer(
      mark: mark, deadline: deadline,
      task: Task.detached {
        await self.clock.sleep(until: deadline)
        self.expire(mark)
      })
  }

  /// Ends the timer.
  func unwatch(_ state: inout PromptQueueState) {
    if let timer = state.timer { state.effects.append(.cancel(timer.task)) }
    state.timer = nil
  }

  /// Ends those that have waited for too long; does nothing for a timer that was ended or replaced.
  private func expire(_ mark: LineMark) {
    change { state in
      guard state.timer?.mark === mark else { return }
      state.timer = nil
      let now = clock.now()
      let outcome = LineWaiter.Outcome.failure(VaultError(.unavailable, "nobody answered"))
      // First the question: that it is withdrawn moves the line, and gives those behind it their time.
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
