import VaultModel

/// Who stands in the line, and what is being asked.
struct PromptQueueState {
  /// Those that wait, the first come first; also those that the question is put for.
  var waiters: [LineWaiter] = []
  /// What is being asked, until its task has ended.
  var question: LineQuestion?
  /// When a question was last put, withdrawn or ended.
  var moved: Duration = .zero
  /// What looks at the limits, if anybody waits.
  var timer: LineTimer?
  /// What is done when the lock is free again: it runs code of others, which may come back here.
  var effects: [LineEffect] = []

  /// When a waiter has waited for too long without the line moving.
  func deadline(of waiter: LineWaiter) -> Duration {
    max(waiter.arrival, moved) + waiter.limit
  }

  /// Takes those out of the line that fit, and ends their waiting.
  mutating func end(_ outcome: LineWaiter.Outcome, where isMeant: (LineWaiter) -> Bool) {
    effects += waiters.lazy.filter(isMeant).map { .resume($0, outcome) }
    waiters.removeAll(where: isMeant)
  }

  /// Takes the one out of the line that has the mark, if it is there, and ends its waiting.
  mutating func end(_ outcome: LineWaiter.Outcome, _ mark: LineMark) {
    guard let index = waiters.firstIndex(where: { $0.mark === mark }) else { return }
    effects.append(.resume(waiters.remove(at: index), outcome))
  }

  /// Gives up the question: its task is to end, and the line waits for that.
  mutating func withdraw(at now: Duration) {
    guard let task = question?.task else { return }
    question?.isWithdrawn = true
    moved = now
    effects.append(.cancel(task))
  }
}

/// What follows from a change of the line.
enum LineEffect: Sendable {
  case resume(LineWaiter, LineWaiter.Outcome)
  case cancel(Task<Void, Never>)
}

/// The identity of a waiter, and of the question that is put for it.
final class LineMark: Sendable {}

/// One that waits for a reply.
struct LineWaiter: Sendable {
  typealias Outcome = Result<any Sendable, VaultError>

  let mark: LineMark
  let key: LineKey
  let arrival: Duration
  let limit: Duration
  let priority: TaskPriority
  /// Looks again, and asks.
  let put: @Sendable () async -> LineSaid
  /// Resumed once: by whoever takes the waiter out of the line, or did not let it in.
  let continuation: CheckedContinuation<Outcome, Never>
}

/// What is being asked.
struct LineQuestion {
  /// The waiter that it was put for first.
  let mark: LineMark
  let key: LineKey
  let deadline: Duration
  let task: Task<Void, Never>
  /// Whether nobody waits for the answer any more.
  var isWithdrawn = false
}

/// What became of a question.
enum LineSaid: Sendable {
  /// Looking again found a reply, or failed.
  case found(LineWaiter.Outcome)
  /// The prompt said it.
  case answered(LineWaiter.Outcome, cancels: Cancellation?)
}

/// A reply whose type is known to those that wait for it.
struct ReplyBox<Reply: Sendable>: Sendable {
  let reply: Reply
}

/// A key that equals only keys of its own type, for the same type of reply.
struct LineKey: Hashable, Sendable {
  private let value: any Hashable & Sendable
  private let reply: ObjectIdentifier

  init<Key: Hashable & Sendable, Reply>(_ value: Key, reply: Reply.Type) {
    self.value = value
    self.reply = ObjectIdentifier(reply)
  }

  static func == (left: LineKey, right: LineKey) -> Bool {
    left.reply == right.reply && left.value.isSame(as: right.value)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(reply)
    value.hash(into: &hasher)
  }
}

extension Hashable {
  /// Whether the other value is of this type and equal; `AnyHashable` would take 1 and 1.0 for the same.
  fileprivate func isSame(as other: any Hashable) -> Bool {
    type(of: other) == Self.self && (other as? Self) == self
  }
}

extension VaultError {
  /// What a caller ends with whose task was cancelled.
  static var leftTheLine: VaultError { VaultError(.interrupted, "the request was cancelled") }
}
