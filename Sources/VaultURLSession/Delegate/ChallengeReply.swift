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

  init(_ handler: @escaping Handler) {
    self.handler = Lock(handler)
  }

  /// Sends the request again with a credential.
  func use(_ credential: URLCredential) {
    take()?(.useCredential, credential)
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
