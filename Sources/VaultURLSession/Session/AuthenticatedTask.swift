import Foundation
public import FoundationNetworking
import SecureMemory

/// A load with a completion handler: the counterpart of `URLSessionTask` for all requests of the
/// load.
///
/// A running one retains itself until its handler was called.
public final class AuthenticatedTask: Sendable {
  /// The request to load.
  public let originalRequest: URLRequest

  /// Loads, and returns the call of the handler with the result.
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

  /// The current state.
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

  /// Starts the load; a second call does nothing.
  public func resume() {
    progress.withLock { progress in
      guard case .suspended(let work) = progress else { return }
      progress = .running(start(work))
    }
  }

  /// Ends the load with `URLError.cancelled`, even before it was started; has no effect on a
  /// finished load.
  ///
  /// The handler is called in this case too.
  public func cancel() {
    let running: Task<Void, Never>? = progress.withLock { progress in
      switch progress {
      case .suspended(let work):
        progress = .canceling
        // The work waits for the lock, so it sees the cancellation before it does anything.
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
