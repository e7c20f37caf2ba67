import Dispatch
import Foundation
import FoundationNetworking
import SecureMemory
import VaultModel

/// A request for a token, in a session of its own, whose response is bounded in length and time.
///
/// Foundation on Linux never looks at `timeoutIntervalForResource`, and a completion handler gets
/// the body when all of it is in memory.
final class TokenLoader: NSObject, URLSessionDataDelegate, Sendable {
  private struct State {
    var body = Data()
    var isTooLong = false
    var waiting: CheckedContinuation<(any Error)?, Never>?
  }

  /// The longest body that ``HTTPAuthentication/TokenResponse`` may have.
  private static var longestBody: Int { 1 << 16 }

  private let request: URLRequest
  private let configuration: URLSessionConfiguration
  private let steps = TaskDelegate()
  private let state = Lock(State())

  init(_ request: URLRequest, _ configuration: URLSessionConfiguration) {
    self.request = request
    self.configuration = configuration
    super.init()
  }

  /// Sends the request once.
  ///
  /// - Returns: The body, empty for a challenge or a redirect, and the response.
  /// - Throws: The task's error; ``VaultModel/VaultError/Code/invalidData`` if the body is too
  ///   long.
  func run() async throws -> (Data, URLResponse) {
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    // Until then the session keeps its delegate.
    defer { session.finishTasksAndInvalidate() }
    let task = session.dataTask(with: request)
    DispatchQueue.global().asyncAfter(deadline: .now() + configuration.timeoutIntervalForResource) {
      [weak steps] in
      steps?.cancel()
    }
    let error = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { $0.waiting = continuation }
        steps.start(task, through: self)
      }
    } onCancel: {
      steps.cancel()
    }
    _ = steps.finish()
    let (body, isTooLong) = state.withLock { ($0.body, $0.isTooLong) }
    guard !isTooLong else {
      throw VaultError(.invalidData, "token: a response of more than 64 KiB")
    }
    if let error, steps.isCancelled { throw error }
    if let challenge = steps.challenge { return (Data(), challenge) }
    if let error { throw error }
    guard let response = task.response else { throw URLError(.badServerResponse) }
    return (body, response)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLong = state.withLock { state in
      state.isTooLong = state.isTooLong || state.body.count + data.count > Self.longestBody
      if !state.isTooLong { state.body.append(data) }
      return state.isTooLong
    }
    if isTooLong { steps.cancel() }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard steps.completes() else { return }
    state.withLock { $0.waiting.take() }?.resume(returning: error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    steps.urlSession(
      session, task: task, didReceive: challenge, completionHandler: completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    steps.urlSession(
      session, task: task, willPerformHTTPRedirection: response, newRequest: newRequest,
      completionHandler: completionHandler)
  }
}
