public import Foundation
public import FoundationNetworking

/// Events of all tasks.
extension VaultSessionDelegate: URLSessionTaskDelegate {
  private var app: (any URLSessionTaskDelegate)? { delegate as? any URLSessionTaskDelegate }

  /// Asks the app's delegate; after an answered challenge it is only told, and the redirect is not
  /// followed.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    guard !attempts.hasAnswered(task) else {
      app?.urlSession(
        session, task: task, willPerformHTTPRedirection: response, newRequest: request,
        completionHandler: { @Sendable _ in })
      return completionHandler(nil)
    }
    guard let app else { return completionHandler(request) }
    app.urlSession(
      session, task: task, willPerformHTTPRedirection: response, newRequest: request,
      completionHandler: completionHandler)
  }

  /// Asks the app's delegate for a stream; without one, Foundation sends no body.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    guard let app else { return completionHandler(nil) }
    app.urlSession(session, task: task, needNewBodyStream: completionHandler)
  }

  /// Asks the app's delegate; without one, the request is sent unchanged.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler:
      @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) {
    guard let app else { return completionHandler(.continueLoading, nil) }
    app.urlSession(
      session, task: task, willBeginDelayedRequest: request, completionHandler: completionHandler)
  }

  /// Tells the app's delegate.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    app?.urlSession(
      session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
      totalBytesExpectedToSend: totalBytesExpectedToSend)
  }

  /// Tells the app's delegate.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    app?.urlSession(session, task: task, didFinishCollecting: metrics)
  }

  /// Tells the app's delegate.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    attempts.forget(task)
    app?.urlSession(session, task: task, didCompleteWithError: error)
  }
}
