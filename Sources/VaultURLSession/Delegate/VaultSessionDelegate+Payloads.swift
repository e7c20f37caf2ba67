public import Foundation
public import FoundationNetworking

/// Events of a data task; an app's delegate of a smaller protocol gets the same calls as without
/// this delegate.
extension VaultSessionDelegate: URLSessionDataDelegate {
  /// Asks the app's delegate; Foundation on Linux ignores the answer.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard let app = delegate as? any URLSessionDataDelegate else {
      return completionHandler(.allow)
    }
    app.urlSession(
      session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
  }

  /// Tells the app's delegate; the body of an answered 401 comes before the final one.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
  ) {
    (delegate as? any URLSessionDataDelegate)?.urlSession(
      session, dataTask: dataTask, didReceive: data)
  }

  /// Tells the app's delegate; Foundation on Linux never does.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    didBecome downloadTask: URLSessionDownloadTask
  ) {
    (delegate as? any URLSessionDataDelegate)?.urlSession(
      session, dataTask: dataTask, didBecome: downloadTask)
  }

  /// Asks the app's delegate; without one, the response is cached.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    guard let app = delegate as? any URLSessionDataDelegate else {
      return completionHandler(proposedResponse)
    }
    app.urlSession(
      session, dataTask: dataTask, willCacheResponse: proposedResponse,
      completionHandler: completionHandler)
  }
}

/// Events of a download.
extension VaultSessionDelegate: URLSessionDownloadDelegate {
  /// Tells the app's delegate; if it has no such method, removes the file, which has no owner.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    guard let app = delegate as? any URLSessionDownloadDelegate else {
      do {
        try FileManager.default.removeItem(at: location)
      } catch {
        // It is in the system's temporary folder, and nobody knows its name.
      }
      return
    }
    app.urlSession(session, downloadTask: downloadTask, didFinishDownloadingTo: location)
  }

  /// Tells the app's delegate.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    (delegate as? any URLSessionDownloadDelegate)?.urlSession(
      session, downloadTask: downloadTask, didWriteData: bytesWritten,
      totalBytesWritten: totalBytesWritten, totalBytesExpectedToWrite: totalBytesExpectedToWrite)
  }

  /// Tells the app's delegate.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    (delegate as? any URLSessionDownloadDelegate)?.urlSession(
      session, downloadTask: downloadTask, didResumeAtOffset: fileOffset,
      expectedTotalBytes: expectedTotalBytes)
  }
}

/// Events of a web socket.
extension VaultSessionDelegate: URLSessionWebSocketDelegate {
  /// Tells the app's delegate.
  public func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didOpenWithProtocol protocol: String?
  ) {
    (delegate as? any URLSessionWebSocketDelegate)?.urlSession(
      session, webSocketTask: webSocketTask, didOpenWithProtocol: `protocol`)
  }

  /// Tells the app's delegate.
  public func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {
    (delegate as? any URLSessionWebSocketDelegate)?.urlSession(
      session, webSocketTask: webSocketTask, didCloseWith: closeCode, reason: reason)
  }
}
