import Foundation
import FoundationNetworking
import SecureMemory

/// The question to an app's delegate, as Foundation puts it on Apple's systems.
///
/// It is put on the session's delegate queue: first to the task's method, then, without an answer,
/// to the session's. A method that the delegate lacks answers with default handling, as
/// Foundation's own does, so a delegate with either method is asked.
struct AppQuestion: Sendable {
  let delegate: any URLSessionDelegate
  let session: URLSession
  let task: URLSessionTask
  let challenge: URLAuthenticationChallenge

  /// Asks, and passes on the first answer.
  ///
  /// - Parameters:
  ///   - proposed: The credential that default handling would use, or that was refused last.
  ///   - answer: Called once, with default handling if the delegate has no answer.
  func put(
    proposing proposed: URLCredential?, _ answer: @escaping ChallengeReply.Handler
  ) {
    let sender = ChallengeSender(answer)
    let failures = challenge.previousFailureCount
    let shown = URLAuthenticationChallenge(
      protectionSpace: challenge.protectionSpace, proposedCredential: proposed,
      previousFailureCount: failures, failureResponse: challenge.failureResponse,
      error: failures > 0 ? URLError(.userAuthenticationRequired) : nil, sender: sender)
    session.delegateQueue.addOperation {
      guard let app = delegate as? any URLSessionTaskDelegate else {
        return askSession(shown, sender)
      }
      let isAsked = Lock(false)
      app.urlSession(session, task: task, didReceive: shown) { disposition, credential in
        guard disposition == .performDefaultHandling else {
          return sender.answer(disposition, credential)
        }
        let isFirst = isAsked.withLock { isAsked in
          defer { isAsked = true }
          return !isAsked
        }
        guard isFirst else { return }
        session.delegateQueue.addOperation { askSession(shown, sender) }
      }
    }
  }

  private func askSession(_ challenge: URLAuthenticationChallenge, _ sender: ChallengeSender) {
    delegate.urlSession(session, didReceive: challenge) { disposition, credential in
      sender.answer(disposition, credential)
    }
  }
}
