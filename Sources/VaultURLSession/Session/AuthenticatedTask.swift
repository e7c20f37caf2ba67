import Foundation
public import FoundationNetworking
import SecureMemory

/// A load that calls a handler: what `URLSessionTask` is, over all requests that the load takes.
///
/// One that runs keeps itself until its handler was called.
public final class AuthenticatedTask: Sendable {
  /// What is to be loaded.
  public let originalRequest: URLRequest

  /// Loads, and says what is to be called with what came of it.
  typealias Work = @Sendable () async -> @Sendable () -> Void

  private enum Progress {
    case suspended(Work)
    case running(Task<Void, Never>)
    case canceling
    case completed
  }

  private let progress: Lock<Progress>
  private let queue: OperationQueue

  init(_ request: URLRequest, on queue: OperationQueue, _ work: @escaping Work) {
    originalRequest = request
    self.queue = queue
    progress = Lock(.suspended(work))
  }

  /// How far it is.
  public var state: URLSessionTask.State {
    progress.withLock { progress in
      switch progress {
      case .suspended: .suspended
      case .running: .running
      case .canceling: .canceling
      case .completed: .completed
      }
    }
  }

  /// Starts it; a second call does nothing.
  public func resume() {
    progress.withLock { progress in
      guard case .suspended(let work) = progress else { return }
      progress = .running(start(work))
    }
  }

  /// Ends it with `URLError.cancelled`, also before it was started; a load that has ended is not changed by it.
  ///
  /// The handler is called, too.
  public func cancel() {
    let running: Task<Void, Never>? = progress.withLock { progress in
      switch progress {
      case .suspended(let work):
        progress = .canceling
        // The work waits for the lock, so it sees that it is cancelled before it does anything.
        start(work).cancel()
        return nil
      case .running(let task):
        progress = .canceling
        return task
      case .canceling, .completed: return nil
      }
    }
    running?.cancel()
  }

  private func start(_ work: @escaping Work) -> Task<Void, Never> {
    Task {
      _ = state
      let finish = await work()
      queue.addOperation { [self] in
        progress.withLock { $0 = .completed }
        finish()
      }
    }
  }
}
