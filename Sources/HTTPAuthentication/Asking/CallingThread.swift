import Dispatch
import SecureMemory
import VaultModel

/// A thread that waits for a task, and meanwhile answers the questions of that task's prompt.
///
/// The caller's closure thus runs where the caller is, and has to be neither `Sendable` nor kept.
final class CallingThread<Result: Sendable>: CredentialPrompt {
  private struct Asked: Sendable {
    let question: Question
    /// The mark of the question in the queue, by which the queue notices one that is asked within
    /// it.
    let mark: QueueMark?
    /// Resumed once: by the thread, or when it waits no more.
    let continuation: CheckedContinuation<Answer, Never>
  }

  private struct State {
    var asked: [Asked] = []
    var result: Result?
  }

  private let state = Lock(State())
  private let changed = DispatchSemaphore(value: 0)

  /// Runs `body` in a task of its own, and blocks until it has ended.
  ///
  /// - Parameters:
  ///   - answer: Answers, on this thread, what the prompt that `body` gets is asked.
  ///   - body: The work.
  /// - Returns: The result of `body`.
  static func wait(
    answering answer: (Question) -> Answer = { _ in .goOnWithout },
    for body: @escaping @Sendable (CallingThread) async -> Result
  ) -> Result {
    let thread = CallingThread()
    Task {
      let result = await body(thread)
      thread.state.withLock { $0.result = result }
      thread.changed.signal()
    }
    while true {
      thread.changed.wait()
      if let asked = thread.nextQuestion() {
        // A question of the closure to the same queue would wait for the closure itself.
        let said = PromptQueue.$answering.withValue(asked.mark) { answer(asked.question) }
        asked.continuation.resume(returning: said)
      } else if let result = thread.end() {
        return result
      }
    }
  }

  /// Lets the thread answer a question; one that comes when the thread waits no more has no answer.
  func answer(_ question: Question) async -> Answer {
    await withCheckedContinuation { continuation in
      let asked = Asked(
        question: question, mark: PromptQueue.answering, continuation: continuation)
      let waits = state.withLock { state in
        if state.result == nil { state.asked.append(asked) }
        return state.result == nil
      }
      if waits {
        changed.signal()
      } else {
        continuation.resume(returning: .goOnWithout)
      }
    }
  }

  private func nextQuestion() -> Asked? {
    state.withLock { state in
      state.result == nil && !state.asked.isEmpty ? state.asked.removeFirst() : nil
    }
  }

  /// Returns the result, if there is one, and ends questions that nobody waits for any more.
  private func end() -> Result? {
    let (result, asked) = state.withLock { state in
      (state.result, state.result == nil ? [] : state.asked)
    }
    for late in asked { late.continuation.resume(returning: .goOnWithout) }
    return result
  }
}
