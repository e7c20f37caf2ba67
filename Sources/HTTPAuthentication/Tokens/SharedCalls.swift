import SecureMemory
import VaultModel

/// Calls that are made once for all who wait for the same result.
///
/// A cancelled task leaves at once, and the call goes on for the others; after the last one, its
/// task is cancelled.
final class SharedCalls<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private typealias Result = Swift.Result<Value, VaultError>

  private typealias Waiter = SharedCallMark

  private struct Call {
    let id: Waiter
    var waiting: [ObjectIdentifier: CheckedContinuation<Result, Never>] = [:]
    var task: Task<Void, Never>?
  }

  private let calls = Lock<[Key: Call]>([:])

  /// The number of callers that wait for a result.
  var waiting: Int {
    calls.withLock { calls in calls.values.reduce(0) { $0 + $1.waiting.count } }
  }

  /// Waits for the result of the call for a key, which is begun unless somebody waits for it.
  ///
  /// - Parameters:
  ///   - key: Equal for those who want the same.
  ///   - work: The call; it runs in a task of its own, without the caller's task-local values.
  /// - Returns: The result, the same for all.
  /// - Throws: The call's error, the same for all; ``VaultError/Code/interrupted`` if the caller's
  ///   task is cancelled; ``VaultError/Code/unavailable`` from within the call itself.
  func result(
    of key: Key, _ work: @escaping @Sendable () async throws(VaultError) -> Value
  ) async throws(VaultError) -> Value {
    guard !isRunning(key) else {
      throw VaultError(.unavailable, "a token is wanted while the same token is fetched")
    }
    let waiter = Waiter()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enter(waiter, continuation, for: key, running: work)
        // The handler may have run before there was anybody to leave.
        if Task.isCancelled { leave(waiter, key) }
      }
    } onCancel: {
      leave(waiter, key)
    }
    // Until here nobody else has its identity.
    withExtendedLifetime(waiter) {}
    return try result.get()
  }

  private func isRunning(_ key: Key) -> Bool {
    let running = SharedCallMarks.running
    guard !running.isEmpty else { return false }
    return calls.withLock { calls in running.contains { $0 === calls[key]?.id } }
  }

  private func enter(
    _ waiter: Waiter, _ continuation: CheckedContinuation<Result, Never>, for key: Key,
    running work: @escaping @Sendable () async throws(VaultError) -> Value
  ) {
    calls.withLock { calls in
      if calls[key] == nil {
        calls[key] = Call(id: waiter)
        let running = SharedCallMarks.running + [waiter]
        calls[key]?.task = Task.detached { [self] in
          let result = await SharedCallMarks.$running.withValue(running) { await Self.run(work) }
          end(key, waiter, result)
        }
      }
      calls[key]?.waiting[ObjectIdentifier(waiter)] = continuation
    }
  }

  private static func run(
    _ work: @Sendable () async throws(VaultError) -> Value
  ) async -> Result {
    do throws(VaultError) {
      return .success(try await work())
    } catch {
      return .failure(error)
    }
  }

  private func leave(_ waiter: Waiter, _ key: Key) {
    let (continuation, abandoned) = calls.withLock { calls in
      let continuation = calls[key]?.waiting.removeValue(forKey: ObjectIdentifier(waiter))
      guard continuation != nil, calls[key]?.waiting.isEmpty == true else {
        return (continuation, Task<Void, Never>?.none)
      }
      // A caller that comes now has not been cancelled, and begins a new call.
      return (continuation, calls.removeValue(forKey: key)?.task)
    }
    abandoned?.cancel()
    continuation?.resume(
      returning: .failure(VaultError(.interrupted, "the request was cancelled")))
  }

  private func end(_ key: Key, _ id: Waiter, _ result: Result) {
    let waiting = calls.withLock { calls in
      calls[key]?.id === id ? calls.removeValue(forKey: key)?.waiting : nil
    }
    for (_, continuation) in waiting ?? [:] { continuation.resume(returning: result) }
  }
}

/// The identity of a waiter; that of the first is also the call's.
final class SharedCallMark: Sendable {}

enum SharedCallMarks {
  /// The calls that the running task is part of: one that waited for itself would never end.
  @TaskLocal static var running: [SharedCallMark] = []
}
