import Foundation
import FoundationNetworking
import SecureMemory

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
