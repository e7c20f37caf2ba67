import Dispatch
import Foundation
import FoundationNetworking
import Glibc
import SecureMemory

/// A delegate for one task of a request, which keeps Foundation from authenticating or
/// redirecting by itself.
///
/// A 401 with Basic is the only response for which Foundation on Linux creates a challenge, and it
/// never completes a task whose challenge is not answered. So the response is kept and the task
/// cancelled; the cancellation's error then stands for the response.
final class TaskDelegate: NSObject, URLSessionTaskDelegate, Sendable {
  private struct State {
    var challenge: URLResponse?
    var task: URLSessionTask?
    var isCancelled = false
    var isTooLate = false
    /// Whether Foundation was told to cancel the task, by anybody.
    var isEnding = false
    /// Whether the completion handler was called.
    var isOver = false
  }

  private let state = Lock(State())

  /// The response that was a challenge; nil if there was none.
  var challenge: URLResponse? { state.withLock { $0.challenge } }

  /// Whether the request was cancelled.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether a redirect was reported so late that the request had timed out.
  var isTooLate: Bool { state.withLock { $0.isTooLate } }

  /// Starts a task; one that was cancelled before ends at once.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - delegate: A delegate that passes challenges and redirects on to this one; nil for none.
  func start(_ task: URLSessionTask, through delegate: (any URLSessionTaskDelegate)? = nil) {
    task.delegate = delegate ?? self
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { end() } else { task.resume() }
  }

  /// Records that the completion handler is called, before it does anything.
  ///
  /// Foundation forgets a task when its handler returns, and then traps on what remains of a
  /// cancellation. So a cancellation is either over before the handler goes on, or does not begin.
  ///
  /// - Returns: Whether it is the first call: a queue that runs several operations at once may make
  ///   a second.
  func completes() -> Bool {
    let (isFirst, cancelled) = state.withLock { state in
      defer { state.isOver = true }
      return (!state.isOver, state.isEnding ? state.task : nil)
    }
    if isFirst, let cancelled { Self.awaitCancellation(of: cancelled) }
    return isFirst
  }

  /// Waits until Foundation has finished everything that `cancel()` began.
  ///
  /// It is a block on the task's own queue, which first sets the error. It is queued by
  /// `cancel()`, or, while the cache is still asked for the response, by another thread a moment
  /// later. There is no notification, so the error is polled, for 10 seconds at most.
  static func awaitCancellation(of task: URLSessionTask) {
    for _ in 0..<10_000 {
      // The getter waits for its turn on the queue, so an earlier block has ended.
      _ = task.priority
      if (task.error as? URLError)?.code == .cancelled { break }
      usleep(1000)
    }
    _ = task.priority
  }

  /// Releases the task, which retains its delegate, once its completion handler was called.
  func finish() -> URLSessionTask? {
    state.withLock { state in
      defer { state.task = nil }
      return state.task
    }
  }

  /// Cancels the task; its completion handler is called.
  ///
  /// This happens on a separate thread: the thread that cancels a Swift task holds a lock that the
  /// completion handler may wait for.
  func cancel() {
    let isStarted = state.withLock { state in
      state.isCancelled = true
      return state.task != nil
    }
    guard isStarted else { return }
    DispatchQueue.global().async { self.end() }
  }

  /// Makes Foundation cancel the task, unless it has completed.
  private func end() {
    state.withLock { state in
      guard !state.isOver else { return }
      state.isEnding = true
      state.task?.cancel()
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    state.withLock { state in
      state.challenge = challenge.failureResponse
      state.isEnding = true
    }
    completionHandler(.cancelAuthenticationChallenge, nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    // Foundation traps if this answers for a task that was cancelled or has timed out meanwhile. A
    // task has a response here only if it timed out, and would then never end. The getter waits for
    // its turn on the task's queue, and so for an earlier timeout. The completion handler only adds
    // to that queue, and so comes before a cancellation that waits for the lock.
    _ = task.priority
    let isTooLate = state.withLock { state in
      guard !state.isCancelled, task.state != .canceling, task.state != .completed else {
        return false
      }
      state.isTooLate = task.response != nil
      if !state.isTooLate { completionHandler(nil) }
      return state.isTooLate
    }
    if isTooLate { DispatchQueue.global().async { self.end() } }
  }
}

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
