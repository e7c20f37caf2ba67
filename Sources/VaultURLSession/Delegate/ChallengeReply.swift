import Dispatch
import Foundation
import FoundationNetworking
import SecureMemory

/// The completion handler of a challenge, called once, in ways that neither hang nor crash
/// Foundation.
///
/// Foundation 6.3.1 traps on ``URLSession/AuthChallengeDisposition/useCredential`` without a
/// credential, and a task never ends if `performDefaultHandling` finds none. A second call would
/// resume the task twice.
final class ChallengeReply: Sendable {
  typealias Handler = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  private let handler: Lock<Handler?>
  private let task: URLSessionTask?

  /// Creates a reply.
  ///
  /// - Parameters:
  ///   - task: The challenged task; nil if a reply needs no care for it.
  ///   - handler: The completion handler.
  init(to task: URLSessionTask? = nil, _ handler: @escaping Handler) {
    self.task = task
    self.handler = Lock(handler)
  }

  /// Sends the request again with a credential.
  func use(_ credential: URLCredential) {
    guard let handler = take() else { return }
    guard let task else { return handler(.useCredential, credential) }
    QuietMoment.wait(for: task) { handler(.useCredential, credential) }
  }

  /// Ends the task, with `URLError.cancelled`.
  func cancel() {
    take()?(.cancelAuthenticationChallenge, nil)
  }

  /// Returns the handler to the first caller; nil afterwards.
  private func take() -> Handler? {
    handler.withLock { handler in
      defer { handler = nil }
      return handler
    }
  }
}

/// The moment at which a challenge is answered, chosen so that Foundation hardly ever traps.
///
/// Foundation 6.3.1 suspends an answered task in two blocks on the task's queue, and traps if a
/// cancellation gets between them. It does if it is queued while the first block waits for its turn
/// on the queue that all tasks share. So an answer is given when that queue is idle, and one at a
/// time.
private enum QuietMoment {
  private static let queue = DispatchQueue(label: "credential-vault.answers")
  /// The longest wait of a turn on an idle queue.
  private static let idle = Duration.microseconds(20)
  /// The limit on looking, so that an answer is given on a machine that is never idle.
  private static let mostTurns = 500

  static func wait(for task: URLSessionTask, _ answer: @escaping @Sendable () -> Void) {
    queue.async {
      for _ in 0..<mostTurns {
        guard takeTurn(of: task) > idle else { break }
      }
      answer()
      // The next answer waits for what this one has queued.
      takeTurn(of: task)
    }
  }

  /// Waits for a turn on a task's queue, which the getter needs, and returns how long it took.
  @discardableResult private static func takeTurn(of task: URLSessionTask) -> Duration {
    ContinuousClock().measure { _ = task.priority }
  }
}

/// The sender of a challenge that an app's delegate gets: its methods are another way to call the
/// completion handler.
///
/// Foundation's own ends the process at every call. The first answer counts, on either way.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
  private let handler: Lock<ChallengeReply.Handler?>

  init(_ handler: @escaping ChallengeReply.Handler) {
    self.handler = Lock(handler)
  }

  /// Passes on an answer, unless there was one before.
  func answer(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
    let first = handler.withLock { handler in
      defer { handler = nil }
      return handler
    }
    first?(disposition, credential)
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    answer(.useCredential, credential)
  }

  /// Ends the task, whose `response` is the 401: Foundation on Linux cannot deliver it.
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
    answer(.cancelAuthenticationChallenge, nil)
  }

  func cancel(_ challenge: URLAuthenticationChallenge) {
    answer(.cancelAuthenticationChallenge, nil)
  }

  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
    answer(.performDefaultHandling, nil)
  }

  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
    answer(.rejectProtectionSpace, nil)
  }
}
