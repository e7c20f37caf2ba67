import Dispatch
import Foundation
import FoundationNetworking
import SecureMemory

/// A way to load a response: into memory, or into a file.
struct Transfer<Payload: Sendable>: Sendable {
  typealias Completion = @Sendable (Payload?, URLResponse?, (any Error)?) -> Void

  /// Makes a task, which is not yet resumed.
  let task: @Sendable (URLSession, URLRequest, RequestBody, @escaping Completion) -> URLSessionTask
  /// Returns the payload for a response whose body Foundation discarded.
  let empty: @Sendable () throws -> Payload
  /// Discards the payload of a response that the caller does not get.
  let discard: @Sendable (Payload) -> Void
}

/// The body of a request, in a form that can be sent again.
enum RequestBody: Sendable {
  /// The body in the request itself, if any.
  case ofRequest
  case data(Data)
  case file(URL)

  /// Whether the body is in the request itself.
  var isOfRequest: Bool { if case .ofRequest = self { true } else { false } }
}

extension Transfer where Payload == Data {
  static let data = Transfer(
    task: { session, request, body, completion in
      switch body {
      case .ofRequest: session.dataTask(with: request, completionHandler: completion)
      case .data(let data):
        session.uploadTask(with: request, from: data, completionHandler: completion)
      case .file(let file):
        session.uploadTask(with: request, fromFile: file, completionHandler: completion)
      }
    },
    empty: { Data() }, discard: { _ in })
}

extension Transfer where Payload == URL {
  static let download = Transfer(
    task: { session, request, _, completion in
      session.downloadTask(with: request, completionHandler: completion)
    },
    empty: {
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).tmp")
      try Data().write(to: file, options: .withoutOverwriting)
      return file
    },
    discard: { file in
      do {
        try FileManager.default.removeItem(at: file)
      } catch {
        // The temporary file may be gone already, or remain: the request continues.
      }
    })
}

extension URLRequest {
  /// Returns the request with its body stream read to the end, because a stream cannot be sent
  /// twice.
  ///
  /// The stream is read on a separate thread, since it may wait for its writer.
  ///
  /// - Throws: The stream's error; `URLError.cancelled` between two reads, if the task is
  ///   cancelled.
  func withRepeatableBody() async throws -> URLRequest {
    guard let stream = httpBodyStream else { return self }
    // The stream goes from here to that one thread, and nobody reads it after.
    nonisolated(unsafe) let source = stream
    let isCancelled = Lock(false)
    let body = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          // As above: this thread has the stream alone.
          continuation.resume(
            with: Result { try unsafe source.readToEnd(unless: { isCancelled.withLock(\.self) }) })
        }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
    var request = self
    request.httpBody = body
    return request
  }
}

extension InputStream {
  fileprivate func readToEnd(unless isCancelled: () -> Bool) throws -> Data {
    open()
    defer { close() }
    var body = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      guard !isCancelled() else { throw URLError(.cancelled) }
      // The stream writes at most as many bytes as it is told that there are.
      let count = unsafe read(&buffer, maxLength: buffer.count)
      guard count >= 0 else { throw streamError ?? URLError(.cannotOpenFile) }
      guard count > 0 else { return body }
      body.append(contentsOf: buffer[..<count])
    }
  }
}
