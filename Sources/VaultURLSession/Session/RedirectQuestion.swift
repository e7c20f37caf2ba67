import Foundation
import FoundationNetworking
import SecureMemory

/// The question to the session's own delegate whether a redirect is followed.
///
/// It is put as Foundation puts it: on the session's delegate queue, with a task that has finished its request. A delegate
/// that says nothing of redirects follows them.
final class RedirectQuestion: Sendable {
  private typealias Waiting = CheckedContinuation<URLRequest?, any Error>
  /// Who waits for the answer; nil once there is one, and before.
  private let waiting = Lock<Waiting?>(nil)

  /// Puts the question; the first answer counts.
  ///
  /// - Returns: What is requested next; nil for the caller to get the response.
  /// - Throws: `URLError.cancelled` if the task is cancelled.
  func put(
    _ session: URLSession, _ task: URLSessionTask, _ response: HTTPURLResponse,
    next request: URLRequest
  ) async throws -> URLRequest? {
    guard let delegate = session.delegate as? any URLSessionTaskDelegate else { return request }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        // Cancelled before anybody waited: the handler found nobody.
        guard !Task.isCancelled else { return cancel() }
        session.delegateQueue.addOperation { [self] in
          delegate.urlSession(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request
          ) { [self] answer in
            take()?.resume(returning: answer)
          }
        }
      }
    } onCancel: {
      cancel()
    }
  }

  private func cancel() {
    take()?.resume(throwing: URLError(.cancelled))
  }

  private func take() -> Waiting? {
    waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
  }
}
