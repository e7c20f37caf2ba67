import VaultModel

/// The waiters of the queue, and the question being asked.
struct PromptQueueState {
  /// The waiters, the oldest first, including those that the question is asked for.
  var waiters: [QueueWaiter] = []
  /// The question being asked, until its task has ended.
  var question: QueueQuestion?
  /// The time at which a question was last asked, withdrawn or ended.
  var moved: Duration = .zero
  /// The timer that enforces the limits, if anybody waits.
  var timer: QueueTimer?
  /// The effects to run without the lock: they run other code, which may call the queue again.
  var effects: [QueueEffect] = []

  /// Returns the time at which a waiter has waited too long without the queue moving.
  func deadline(of waiter: QueueWaiter) -> Duration {
    max(waiter.arrival, moved) + waiter.limit
  }

  /// Removes the waiters that match, and ends their waiting.
  mutating func end(_ outcome: QueueWaiter.Outcome, where isMeant: (QueueWaiter) -> Bool) {
    effects += waiters.lazy.filter(isMeant).map { .resume($0, outcome) }
    waiters.removeAll(where: isMeant)
  }

  /// Removes the waiter with the mark, if it is there, and ends its waiting.
  mutating func end(_ outcome: QueueWaiter.Outcome, _ mark: QueueMark) {
    guard let index = waiters.firstIndex(where: { $0.mark === mark }) else { return }
    effects.append(.resume(waiters.remove(at: index), outcome))
  }

  /// Withdraws the question: its task is cancelled, and the queue waits for its end.
  mutating func withdraw(at now: Duration) {
    guard let task = question?.task else { return }
    question?.isWithdrawn = true
    moved = now
    effects.append(.cancel(task))
  }
}

/// An effect of a change of the queue.
enum QueueEffect: Sendable {
  case resume(QueueWaiter, QueueWaiter.Outcome)
  case cancel(Task<Void, Never>)
}

/// The identity of a waiter, and of the question that is asked for it.
final class QueueMark: Sendable {}

/// A waiter for a reply.
struct QueueWaiter: Sendable {
  typealias Outcome = Result<any Sendable, VaultError>

  let mark: QueueMark
  let key: QueueKey
  let arrival: Duration
  let limit: Duration
  let priority: TaskPriority
  /// Looks again, and then asks.
  let put: @Sendable () async -> QueueResult
  /// The continuation, resumed once: when the waiter is removed, or is not let in.
  let continuation: CheckedContinuation<Outcome, Never>
}

/// The question being asked.
struct QueueQuestion {
  /// The waiter that it was first asked for.
  let mark: QueueMark
  let key: QueueKey
  let deadline: Duration
  let task: Task<Void, Never>
  /// Whether no waiter wants the answer any more.
  var isWithdrawn = false
}

/// The result of a question.
enum QueueResult: Sendable {
  /// Looking again found a reply, or failed.
  case found(QueueWaiter.Outcome)
  /// The prompt answered.
  case answered(QueueWaiter.Outcome, cancels: Cancellation?)
}

/// A reply whose type its waiters know.
struct ReplyBox<Reply: Sendable>: Sendable {
  let reply: Reply
}

/// A key that equals only keys of its own type, for the same type of reply.
struct QueueKey: Hashable, Sendable {
  private let value: any Hashable & Sendable
  private let reply: ObjectIdentifier

  init<Key: Hashable & Sendable, Reply>(_ value: Key, reply: Reply.Type) {
    self.value = value
    self.reply = ObjectIdentifier(reply)
  }

  static func == (left: QueueKey, right: QueueKey) -> Bool {
    left.reply == right.reply && left.value.isSame(as: right.value)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(reply)
    value.hash(into: &hasher)
  }
}

extension Hashable {
  /// Returns whether the other value is of this type and equal; `AnyHashable` would treat 1 and 1.0
  /// as equal.
  fileprivate func isSame(as other: any Hashable) -> Bool {
    type(of: other) == Self.self && (other as? Self) == self
  }
}

extension VaultError {
  /// The error returned to a cancelled caller.
  static var leftTheQueue: VaultError { VaultError(.interrupted, "the request was cancelled") }
}
