import Dispatch
import Foundation
import FoundationNetworking
import SecureMemory
import VaultTransport

/// The body of a request, in a form that can be sent again.
enum RequestBody: Sendable {
  /// The body in the request itself, if any.
  case ofRequest
  case data(Data)
  case file(URL)
  /// A stream of that many bytes, if they are known, and a function that opens it.
  case stream(Int64?, @Sendable () throws -> InputStream)

  /// The body for the transport; nil for that of the request itself.
  var sent: TransportBody? {
    switch self {
    case .ofRequest: nil
    case .data(let data): .bytes(Array(data))
    case .file(let file): .file(file.path)
    case .stream(let length, let open):
      .stream(length: length) { StreamReader(try open()).pieces }
    }
  }

  /// Returns a request whose body can be sent twice: streams are read to their end.
  ///
  /// - Throws: As ``Foundation/URLRequest/withRepeatableBody()``.
  func repeatable(in request: URLRequest) async throws -> URLRequest {
    switch self {
    case .ofRequest: return try await request.withRepeatableBody()
    case .data, .file: return request
    case .stream(_, let open):
      var request = request
      request.httpBodyStream = try open()
      return try await request.withRepeatableBody()
    }
  }
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
      try await OwnThread.run {
        // As above: this thread has the stream alone.
        try unsafe source.readToEnd(unless: { isCancelled.withLock(\.self) })
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
