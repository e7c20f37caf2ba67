public import Foundation
public import FoundationNetworking

/// The variants with a completion handler, which is called once, on the session's delegate queue or
/// on a queue that runs one handler after the other.
///
/// A task does nothing before its `resume()`.
extension AuthenticatedSession {
  /// A handler that gets the loaded data, the response, and the error.
  public typealias DataHandler = @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  /// A handler that gets the file, which it must move or remove, the response, and the error.
  public typealias DownloadHandler = @Sendable (URL?, URLResponse?, (any Error)?) -> Void

  /// Returns a task that loads the resource of a request.
  public func dataTask(
    with request: URLRequest, completionHandler: @escaping DataHandler
  ) -> AuthenticatedTask {
    task(request, completionHandler) { try await self.data(for: request) }
  }

  /// Returns a task that loads the resource of a URL.
  public func dataTask(
    with url: URL, completionHandler: @escaping DataHandler
  ) -> AuthenticatedTask {
    dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// Returns a task that sends a request with this body.
  public func uploadTask(
    with request: URLRequest, from body: Data, completionHandler: @escaping DataHandler
  ) -> AuthenticatedTask {
    task(request, completionHandler) { try await self.upload(for: request, from: body) }
  }

  /// Returns a task that sends a request with the contents of a file as its body.
  public func uploadTask(
    with request: URLRequest, fromFile file: URL, completionHandler: @escaping DataHandler
  ) -> AuthenticatedTask {
    task(request, completionHandler) { try await self.upload(for: request, fromFile: file) }
  }

  /// Returns a task that loads the resource of a request into a temporary file.
  public func downloadTask(
    with request: URLRequest, completionHandler: @escaping DownloadHandler
  ) -> AuthenticatedTask {
    task(request, completionHandler) { try await self.download(for: request) }
  }

  /// Returns a task that loads the resource of a URL into a temporary file.
  public func downloadTask(
    with url: URL, completionHandler: @escaping DownloadHandler
  ) -> AuthenticatedTask {
    downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// The queue on which handlers are called.
  var queue: OperationQueue {
    switch engine {
    case .transport(let loader): loader.queue
    case .session(let session): session.delegateQueue
    }
  }

  private func task<Payload: Sendable>(
    _ request: URLRequest,
    _ handler: @escaping @Sendable (Payload?, URLResponse?, (any Error)?) -> Void,
    _ load: @escaping @Sendable () async throws -> (Payload, URLResponse)
  ) -> AuthenticatedTask {
    AuthenticatedTask(request, on: queue) { [session] in
      do {
        // The session may have been invalidated since the task was resumed.
        guard session?.isInvalidated != true else { throw URLError(.cancelled) }
        let (payload, response) = try await load()
        return { handler(payload, response, nil) }
      } catch {
        return { handler(nil, nil, error) }
      }
    }
  }
}
