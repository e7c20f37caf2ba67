import Foundation
import FoundationNetworking
import SecureMemory

/// The question to the session's own delegate whether to follow a redirect.
///
/// It is asked as Foundation does: on the session's delegate queue, with a task that has finished
/// its request. If the delegate does not handle redirects, they are followed.
final class RedirectQuestion: Sendable {
  private typealias Waiting = CheckedContinuation<URLRequest?, any Error>
  /// The waiter for the answer; nil before it waits, and after the answer.
  private let waiting = Lock<Waiting?>(nil)

  /// Asks the delegate; the first answer counts.
  ///
  /// - Returns: The next request; nil if the caller gets the response.
  /// - Throws: `URLError.cancelled` if the task is cancelled.
  func put(
    _ session: URLSession, _ task: URLSessionTask, _ response: HTTPURLResponse,
    next request: URLRequest
  ) async throws -> URLRequest? {
    guard let delegate = session.delegate as? any URLSessionTaskDelegate else { return request }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        // Cancelled before this waited: the handler found no waiter.
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
