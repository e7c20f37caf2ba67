import SecureMemory
import VaultModel

/// Entering and leaving the queue, and its turns.
extension PromptQueue {
  /// Changes the queue, and runs the resulting effects without the lock.
  func change(_ body: (inout PromptQueueState) -> Void) {
    let effects = state.withLock { state in
      body(&state)
      if state.waiters.isEmpty { unwatch(&state) }
      let effects = state.effects
      state.effects = []
      return effects
    }
    for effect in effects {
      switch effect {
      case .resume(let waiter, let outcome): waiter.continuation.resume(returning: outcome)
      case .cancel(let task): task.cancel()
      }
    }
  }

  /// Adds a waiter, unless its task is cancelled.
  ///
  /// A task is marked as cancelled before its handler runs. A handler that ran too early, and found
  /// nobody to remove, is therefore noticed here.
  func enter(_ waiter: LineWaiter) {
    change { state in
      guard !Task.isCancelled else {
        state.effects.append(.resume(waiter, .failure(.leftTheLine)))
        return
      }
      state.waiters.append(waiter)
      putNext(&state)
      watch(&state, until: state.deadline(of: waiter))
    }
  }

  /// Removes a waiter whose task was cancelled.
  func leave(_ mark: LineMark) {
    change { state in
      state.end(.failure(.leftTheLine), mark)
      withdrawIfUnwanted(&state)
    }
  }

  /// Cancels the question's task if no waiter wants the answer any more.
  func withdrawIfUnwanted(_ state: inout PromptQueueState) {
    guard let question = state.question, !question.isWithdrawn else { return }
    guard !state.waiters.contains(where: { $0.key == question.key }) else { return }
    state.withdraw(at: clock.now())
  }

  /// Asks the question of the first waiter, unless one is being asked.
  private func putNext(_ state: inout PromptQueueState) {
    guard state.question == nil, let first = state.waiters.first else { return }
    state.moved = clock.now()
    state.question = LineQuestion(
      mark: first.mark, key: first.key, deadline: state.moved + first.limit,
      task: Task.detached(priority: first.priority) {
        let said = await Self.$answering.withValue(first.mark) { await first.put() }
        self.end(first.mark, said)
      })
  }

  /// Distributes the result of a question, and asks the next one.
  private func end(_ mark: LineMark, _ said: LineSaid) {
    change { state in
      guard let question = state.question, question.mark === mark else { return }
      state.question = nil
      state.moved = clock.now()
      // A withdrawn question has no waiters any more; later waiters with its key are asked again.
      if !question.isWithdrawn { handOut(&state, question, said) }
      putNext(&state)
    }
  }

  /// Resumes the waiters that this result applies to.
  private func handOut(_ state: inout PromptQueueState, _ question: LineQuestion, _ said: LineSaid)
  {
    switch said {
    case .found(let outcome):
      state.end(outcome, question.mark)
    case .answered(let outcome, cancels: .request):
      // The oldest waiter with this key is the one asked for: when it leaves, the next takes its
      // place.
      guard let first = state.waiters.first(where: { $0.key == question.key }) else { return }
      state.end(outcome, first.mark)
    case .answered(let outcome, cancels: nil), .answered(let outcome, cancels: .space):
      state.end(outcome) { $0.key == question.key }
    case .answered(_, cancels: .all):
      state.end(.failure(VaultError(.interrupted, "cancelled for all"))) { _ in true }
    }
  }
}
