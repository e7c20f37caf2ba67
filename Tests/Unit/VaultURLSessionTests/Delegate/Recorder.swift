import Foundation
import FoundationNetworking
import SecureMemory

/// The calls that a delegate got, in order.
final class CallRecord: Sendable {
  private let state = Lock<[String]>([])
  private let end = DispatchSemaphore(value: 0)

  var events: [String] { state.withLock { $0 } }

  func add(_ event: String) { state.withLock { $0.append(event) } }

  /// Signals that the task is over.
  func finish() { end.signal() }

  /// Waits for the task's end; false if none came.
  func wait() -> Bool { end.wait(timeout: .now() + 120) == .success }
}

/// An app's delegate that has the methods of tasks alone, the challenge not among them.
class TaskRecorder: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
  let record = CallRecord()

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    record.add("redirect \(response.statusCode)")
    completionHandler(request)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    record.add("sent \(totalBytesSent) of \(totalBytesExpectedToSend)")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    record.add("complete \((error as? URLError)?.code.rawValue ?? 0)")
    record.finish()
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    record.add("invalid")
    record.finish()
  }
}

/// An app's delegate that also has the methods of data tasks.
final class DataRecorder: TaskRecorder, URLSessionDataDelegate, @unchecked Sendable {
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    record.add("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    completionHandler(.allow)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
  ) {
    record.add("data \(String(decoding: data, as: UTF8.self))")
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    record.add("cache")
    completionHandler(nil)
  }
}

/// An app's delegate that also has the methods of downloads.
final class DownloadRecorder: TaskRecorder, URLSessionDownloadDelegate, @unchecked Sendable {
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    do {
      record.add("file \(String(decoding: try Data(contentsOf: location), as: UTF8.self))")
      try FileManager.default.removeItem(at: location)
    } catch {
      record.add("no file")
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    record.add("written \(totalBytesWritten)")
  }
}
