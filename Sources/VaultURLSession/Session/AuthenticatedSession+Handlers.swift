public import Foundation
public import FoundationNetworking

/// The forms with a completion handler, which is called once on the session's delegate queue.
///
/// A task does nothing before its `resume()`.
extension AuthenticatedSession {
  /// Is told what was loaded, the response, and the error.
  public typealias DataHandler = @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  /// Is told the file, which is the handler's to move or remove, the response, and the error.
  public typealias DownloadHandler = @Sendable (URL?, URLResponse?, (any Error)?) -> Void

  /// A task that loads what a request is for.
  public func dataTask(
    with request: URLRequest, completionHandler: @escaping DataHandler
  ) -> AuthenticatedTask {
    task(request, completionHandler) { try await self.data(for: request) }
  }

  /// A task that loads what a URL names.
  public func dataTask(
    with url: URL, completionHandler: @escaping DataHandler
  ) -> AuthenticatedTask {
    dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// A task that sends a request with this body.
  public func uploadTask(
    with request: URLRequest, from body: Data, completionHandler: @escaping DataHandler
  ) -> AuthenticatedTask {
    task(request, completionHandler) { try await self.upload(for: request, from: body) }
  }

  /// A task that sends a request with the contents of a file as its body.
  public func uploadTask(
    with request: URLRequest, fromFile file: URL, completionHandler: @escaping DataHandler
  ) -> AuthenticatedTask {
    task(request, completionHandler) { try await self.upload(for: request, fromFile: file) }
  }

  /// A task that loads what a request is for into a temporary file.
  public func downloadTask(
    with request: URLRequest, completionHandler: @escaping DownloadHandler
  ) -> AuthenticatedTask {
    task(request, completionHandler) { try await self.download(for: request) }
  }

  /// A task that loads what a URL names into a temporary file.
  public func downloadTask(
    with url: URL, completionHandler: @escaping DownloadHandler
  ) -> AuthenticatedTask {
    downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  private func task<Payload: Sendable>(
    _ request: URLRequest,
    _ handler: @escaping @Sendable (Payload?, URLResponse?, (any Error)?) -> Void,
    _ load: @escaping @Sendable () async throws -> (Payload, URLResponse)
  ) -> AuthenticatedTask {
    AuthenticatedTask(request, on: session.delegateQueue) { [session] in
      do {
        // It was resumed a moment ago, and the session may have been told to end since.
        guard !session.isInvalidated else { throw URLError(.cancelled) }
        let (payload, response) = try await load()
        return { handler(payload, response, nil) }
      } catch {
        return { handler(nil, nil, error) }
      }
    }
  }
}
