import Foundation
import FoundationNetworking
import SecureMemory

/// An app's delegate that answers every challenge with one credential, and records on which queue
/// it was called.
final class AnsweringDelegate: NSObject, URLSessionTaskDelegate {
  private let credential: URLCredential
  private let calls = Lock<[Bool]>([])

  init(_ credential: URLCredential) {
    self.credential = credential
  }

  /// Whether the call was on the session's queue, for each challenge.
  var wasOnQueue: [Bool] { calls.withLock { $0 } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let isOnQueue = OperationQueue.current === session.delegateQueue
    calls.withLock { $0.append(isOnQueue) }
    completionHandler(.useCredential, credential)
  }
}

/// An app's delegate for tasks, without a single method.
final class SilentTaskDelegate: NSObject, URLSessionTaskDelegate {}
