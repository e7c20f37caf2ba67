import Foundation
public import FoundationNetworking
import SecureMemory

/// A load that calls a handler: what `URLSessionTask` is, over all requests that the load takes.
public final class AuthenticatedTask: Sendable {
  /// What is to be loaded.
  public let originalRequest: URLRequest
  private let load: @Sendable () async -> Void
  private let running = Lock<Task<Void, Never>?>(nil)

  init(_ request: URLRequest, _ load: @escaping @Sendable () async -> Void) {
    originalRequest = request
    self.load = load
  }

  /// Starts it; a second call does nothing.
  public func resume() {
    running.withLock { running in
      guard running == nil else { return }
      running = Task { await load() }
    }
  }

  /// Ends it, with `URLError.cancelled`.
  public func cancel() {
    resume()
    running.withLock { $0?.cancel() }
  }
}
