import FoundationNetworking
import SecureMemory
import VaultModel

/// What was answered to the challenges of each task, as long as there is the task.
final class Attempts: Sendable {
  private struct Entry {
    weak var task: URLSessionTask?
    var users: [ProtectionSpace: [String]] = [:]
  }

  private let entries = Lock<[ObjectIdentifier: Entry]>([:])

  /// Takes note that a user's credential answers a challenge.
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

  /// Takes note that a challenge was answered with a credential of the app's.
  func noteAnswer(of task: URLSessionTask) {
    update(task) { _ in }
  }

  /// Whether a challenge of a task was answered.
  func hasAnswered(_ task: URLSessionTask) -> Bool {
    entries.withLock { entries in
      // The identifier of a task that is gone may be another's by now.
      entries[ObjectIdentifier(task)]?.task === task
    }
  }

  /// Forgets a task that has ended.
  func forget(_ task: URLSessionTask) {
    entries.withLock { $0[ObjectIdentifier(task)] = nil }
  }

  /// How many tasks are known.
  var count: Int { entries.withLock { $0.count } }

  private func update<R>(_ task: URLSessionTask, _ body: (inout Entry) -> R) -> R {
    entries.withLock { entries in
      // Not every task is reported to end: one with a completion handler is not.
      entries = entries.filter { $0.value.task != nil }
      return body(&entries[ObjectIdentifier(task), default: Entry(task: task)])
    }
  }
}
