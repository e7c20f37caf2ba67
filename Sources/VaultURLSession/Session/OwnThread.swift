import Foundation

/// A thread for a call that may wait for as long as it likes.
///
/// Dispatch's queues have as many threads as the machine has cores, and all tasks of the process
/// share them: two streams whose writers are silent would stop everything.
enum OwnThread {
  /// Runs `body` on a new thread.
  ///
  /// - Throws: Any error of `body`.
  static func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }
}
