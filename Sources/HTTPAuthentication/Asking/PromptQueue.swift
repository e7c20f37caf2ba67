import SecureMemory
package import VaultModel

/// The queue in which requests wait for an answer: one question is asked at a time.
///
/// No waiter blocks a thread, and none waits forever: see ``reply(to:within:lookAgain:ask:)``.
package final class PromptQueue: Sendable {
  /// The queue of this process.
  package static let process = PromptQueue()

  /// The result of a prompt.
  package struct Asked<Reply: Sendable>: Sendable {
    /// The reply for the waiters.
    package let reply: Reply
    /// The waiters that this cancels; nil if it is not a cancellation.
    package let cancels: Cancellation?

    /// Creates a result from its parts.
    package init(reply: Reply, cancels: Cancellation? = nil) {
      self.reply = reply
      self.cancels = cancels
    }
  }

  /// The question that the running task answers, if a prompt runs in it.
  @TaskLocal static var answering: QueueMark?

  let state = Lock(PromptQueueState())
  let clock: PromptClock

  /// Creates a separate queue, for tests; a program has one, ``process``.
  package init(clock: PromptClock = .continuous) {
    self.clock = clock
  }

  /// Waits for the reply to a question, which is asked when its turn comes.
  ///
  /// Turns are first come, first served. In its turn, `lookAgain` is called and then, unless it
  /// finds a reply, `ask`; both run in a task of their own, without the caller's task-local values.
  /// All waiters with an equal key at the time of the answer get it, without being asked:
  ///
  /// | result | waiters with this key | other waiters |
  /// |---|---|---|
  /// | a reply, or a cancellation of the space | get the reply | wait |
  /// | a cancellation of the request | the one asked for gets it; others are asked in turn | wait |
  /// | a cancellation of all | `interrupted`, including the one asked for | `interrupted` |
  /// | an error of `ask` | get the error | wait |
  ///
  /// A result or error of `lookAgain` is for its own caller only. A caller whose task is cancelled
  /// leaves at once. If the question was asked for it, the next waiter with this key takes its
  /// place; after the last one, the question's task is cancelled. The queue moves on only when that
  /// task has ended, because two questions must not be open at once.
  ///
  /// - Parameters:
  ///   - key: Identifies equal questions; keys of different types, or for replies of different
  ///     types, are never equal.
  ///   - limit: The time that the question may go unanswered, and that the queue may not move
  ///     before its turn.
  ///   - lookAgain: Finds a reply without a question: another request's answer may have left one.
  ///   - ask: Asks the question; it must end soon when its task is cancelled.
  /// - Returns: The reply.
  /// - Throws: ``VaultError/Code/interrupted`` if the caller's task or all requests are cancelled;
  ///   ``VaultError/Code/unavailable`` if nobody answered within the limit, and at once for a
  ///   prompt that asks while it answers; the errors of `lookAgain` and `ask`.
  package func reply<Key: Hashable & Sendable, Reply: Sendable>(
    to key: Key, within limit: Duration,
    lookAgain: @escaping @Sendable () async throws(VaultError) -> Reply?,
    ask: @escaping @Sendable () async throws(VaultError) -> Asked<Reply>
  ) async throws(VaultError) -> Reply {
    try refuseReentry()
    let mark = QueueMark()
    let said = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enter(
          QueueWaiter(
            mark: mark, key: QueueKey(key, reply: Reply.self), arrival: clock.now(),
            limit: PromptClock.bounded(limit), priority: Task.currentPriority,
            put: { await Self.put(lookAgain, ask) }, continuation: continuation))
      }
    } onCancel: {
      leave(mark)
    }
    guard let box = try said.get() as? ReplyBox<Reply> else {
      // unreachable: a key is only equal to one for the same type of reply.
      throw VaultError(.internalError, "a reply of another type")
    }
    return box.reply
  }

  /// Rejects a question from a prompt that is being asked: it would wait for itself.
  private func refuseReentry() throws(VaultError) {
    guard let mark = Self.answering else { return }
    guard state.withLock({ $0.question?.mark === mark }) else { return }
    throw VaultError(.unavailable, "a prompt cannot ask while it answers")
  }

  /// Runs the two closures of a caller, one after the other.
  private static func put<Reply: Sendable>(
    _ lookAgain: @Sendable () async throws(VaultError) -> Reply?,
    _ ask: @Sendable () async throws(VaultError) -> Asked<Reply>
  ) async -> QueueResult {
    do throws(VaultError) {
      if let reply = try await lookAgain() { return .found(.success(ReplyBox(reply: reply))) }
    } catch {
      return .found(.failure(error))
    }
    // All waiters have left meanwhile: nobody is to be prompted.
    guard !Task.isCancelled else { return .answered(.failure(.leftTheQueue), cancels: nil) }
    do throws(VaultError) {
      let asked = try await ask()
      return .answered(.success(ReplyBox(reply: asked.reply)), cancels: asked.cancels)
    } catch {
      return .answered(.failure(error), cancels: nil)
    }
  }
}

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
  func enter(_ waiter: QueueWaiter) {
    change { state in
      guard !Task.isCancelled else {
        state.effects.append(.resume(waiter, .failure(.leftTheQueue)))
        return
      }
      state.waiters.append(waiter)
      putNext(&state)
      watch(&state, until: state.deadline(of: waiter))
    }
  }

  /// Removes a waiter whose task was cancelled.
  func leave(_ mark: QueueMark) {
    change { state in
      state.end(.failure(.leftTheQueue), mark)
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
    state.question = QueueQuestion(
      mark: first.mark, key: first.key, deadline: state.moved + first.limit,
      task: Task.detached(priority: first.priority) {
        let said = await Self.$answering.withValue(first.mark) { await first.put() }
        self.end(first.mark, said)
      })
  }

  /// Distributes the result of a question, and asks the next one.
  private func end(_ mark: QueueMark, _ said: QueueResult) {
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
  private func handOut(
    _ state: inout PromptQueueState, _ question: QueueQuestion, _ said: QueueResult
  ) {
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
