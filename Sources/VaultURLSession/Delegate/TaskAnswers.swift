import FoundationNetworking
import SecureMemory
import VaultModel

/// The answers to the challenges of each task, kept for the task's lifetime.
final class TaskAnswers: Sendable {
  private struct Entry {
    weak var task: URLSessionTask?
    var users: [ProtectionSpace: [String]] = [:]
    /// The last answer.
    var credential: URLCredential?
  }

  private let entries = Lock<[ObjectIdentifier: Entry]>([:])

  /// Records that a user's credential answers a challenge.
  ///
  /// - Returns: Whether it is the first time in this task.
  func begin(_ user: String, in space: ProtectionSpace, of task: URLSessionTask) -> Bool {
    update(task) { entry in
      let known = entry.users[space, default: []]
      guard !known.contains(where: { $0.utf8.elementsEqual(user.utf8) }) else { return false }
      entry.users[space] = known + [user]
      return true
    }
  }

  /// Returns whether a user's credential has answered a challenge.
  func hasTried(_ user: String, in space: ProtectionSpace, of task: URLSessionTask) -> Bool {
    known(task)?.users[space]?.contains { $0.utf8.elementsEqual(user.utf8) } ?? false
  }

  /// Records the answer to a challenge.
  func noteAnswer(of task: URLSessionTask, _ credential: URLCredential) {
    update(task) { $0.credential = credential }
  }

  /// Returns the last answer to a challenge of a task.
  func last(of task: URLSessionTask) -> URLCredential? { known(task)?.credential }

  /// Returns whether a challenge of a task was answered.
  func hasAnswered(_ task: URLSessionTask) -> Bool { known(task) != nil }

  /// Forgets a task that has ended.
  func forget(_ task: URLSessionTask) {
    entries.withLock { $0[ObjectIdentifier(task)] = nil }
  }

  /// The number of known tasks.
  var count: Int { entries.withLock { $0.count } }

  private func known(_ task: URLSessionTask) -> Entry? {
    entries.withLock { entries in
      // A new task may have the identifier of one that is gone.
      entries[ObjectIdentifier(task)].flatMap { $0.task === task ? $0 : nil }
    }
  }

  private func update<R>(_ task: URLSessionTask, _ body: (inout Entry) -> R) -> R {
    entries.withLock { entries in
      // Not every task reports its end: one with a completion handler does not.
      entries = entries.filter { $0.value.task != nil }
      return body(&entries[ObjectIdentifier(task), default: Entry(task: task)])
    }
  }
}
