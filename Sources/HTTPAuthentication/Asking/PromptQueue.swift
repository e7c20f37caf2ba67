import SecureMemory
package import VaultModel

/// The line in which those that need an answer wait for their turn: one question at a time is put.
///
/// Nobody in it blocks a thread, and nobody waits for ever: see ``reply(to:within:lookAgain:ask:)``.
package final class PromptQueue: Sendable {
  /// The line of this process.
  package static let process = PromptQueue()

  /// What a prompt said.
  package struct Asked<Reply: Sendable>: Sendable {
    /// What those that asked get.
    package let reply: Reply
    /// Who ends with it; nil if it is no cancellation.
    package let cancels: Cancellation?

    /// Makes it of its parts.
    package init(reply: Reply, cancels: Cancellation? = nil) {
      self.reply = reply
      self.cancels = cancels
    }
  }

  /// The question that the running task answers, if a prompt runs in it.
  @TaskLocal static var answering: LineMark?

  let state = Lock(PromptQueueState())
  let clock: PromptClock

  /// Makes a line of its own, for tests; a program has one, ``process``.
  package init(clock: PromptClock = .continuous) {
    self.clock = clock
  }

  /// Waits for the reply to a question, and puts it when its turn comes.
  ///
  /// In turn, first come, first served, `lookAgain` is called and then, unless it finds a reply, `ask`; both in a
  /// task of their own, which knows no task-local values of the caller. All that wait for an equal key when the answer
  /// comes get it, without asking:
  ///
  /// | what was said | those with this key | those with others |
  /// |---|---|---|
  /// | a reply, or a cancellation of the space | get the reply | wait on |
  /// | a cancellation of the request | the one asked for gets the reply, the others are asked in turn | wait on |
  /// | a cancellation of all | `interrupted`, the one asked for too | `interrupted` |
  /// | an error of `ask` | get the error | wait on |
  ///
  /// What `lookAgain` finds or throws is its own caller's only. A caller whose task is cancelled leaves at once; if the
  /// question was put for it, the next with this key takes its place, and after the last one the question's task is
  /// cancelled. The line moves on only when that task has ended: a second question must not stand beside the first.
  ///
  /// - Parameters:
  ///   - key: What makes two questions one; keys of different types, or for replies of different types, are never equal.
  ///   - limit: How long the question may go unanswered, and how long the line may not move before its turn.
  ///   - lookAgain: Finds a reply that needs no question: somebody else's answer may have left one.
  ///   - ask: Puts the question; it must end soon when its task is cancelled.
  /// - Returns: The reply.
  /// - Throws: ``VaultError/Code/interrupted`` if the caller's task is cancelled or all are;
  ///   ``VaultError/Code/unavailable`` if nobody answered within the limit, and at once for a prompt that asks while
  ///   it answers; what `lookAgain` and `ask` throw.
  package func reply<Key: Hashable & Sendable, Reply: Sendable>(
    to key: Key, within limit: Duration,
    lookAgain: @escaping @Sendable () async throws(VaultError) -> Reply?,
    ask: @escaping @Sendable () async throws(VaultError) -> Asked<Reply>
  ) async throws(VaultError) -> Reply {
    try refuseReentry()
    let mark = LineMark()
    let said = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enter(
          LineWaiter(
            mark: mark, key: LineKey(key, reply: Reply.self), arrival: clock.now(),
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

  /// Refuses a question of a prompt that is being asked: it would wait for itself.
  private func refuseReentry() throws(VaultError) {
    guard let mark = Self.answering else { return }
    guard state.withLock({ $0.question?.mark === mark }) else { return }
    throw VaultError(.unavailable, "a prompt cannot ask while it answers")
  }

  /// Runs the two closures of a caller, one after the other.
  private static func put<Reply: Sendable>(
    _ lookAgain: @Sendable () async throws(VaultError) -> Reply?,
    _ ask: @Sendable () async throws(VaultError) -> Asked<Reply>
  ) async -> LineSaid {
    do throws(VaultError) {
      if let reply = try await lookAgain() { return .found(.success(ReplyBox(reply: reply))) }
    } catch {
      return .found(.failure(error))
    }
    // Everybody left meanwhile: nobody is to be bothered.
    guard !Task.isCancelled else { return .answered(.failure(.leftTheLine), cancels: nil) }
    do throws(VaultError) {
      let asked = try await ask()
      return .answered(.success(ReplyBox(reply: asked.reply)), cancels: asked.cancels)
    } catch {
      return .answered(.failure(error), cancels: nil)
    }
  }
}
