import Dispatch
import Interchange
import SecureMemory
import VaultModel

/// Reads the entries of an import on a thread of its own while those before are stored: reading a
/// table takes nearly as long as storing its items.
///
/// A few batches wait at most, so the memory is bounded for a file of any size.
final class ReadAhead: Sendable {
  private struct Batch: Sendable {
    /// With the share of the source that had been read after each.
    var entries: [(entry: Entry, share: Double)] = []
    /// The bytes of their secrets.
    var secretCount = 0
    /// Whether they are the last, and the error that ended the reading.
    var isLast = false
    var error: VaultError?

    var isFull: Bool { entries.count >= 128 || secretCount >= 64 << 10 }
  }

  private struct State: Sendable {
    var batches: [Batch] = []
    var isStopped = false
  }

  private static let mostBatches = 4

  private let state = Lock(State())
  // All begin at 0: Dispatch ends the process if a semaphore is released below its initial value.
  private let filled = DispatchSemaphore(value: 0)
  private let free = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  private init() {
    for _ in 0..<Self.mostBatches { free.signal() }
  }

  /// Calls `body` with each entry, in order, and the share of the source that was read by then.
  ///
  /// - Throws: Any error of the source, after the entries before it, and of `body`. Reading has
  ///   stopped when it returns.
  static func forEach(
    in source: ImportSource, _ body: (Entry, _ share: Double) throws(VaultError) -> Void
  ) throws(VaultError) {
    let ahead = ReadAhead()
    // Only the thread uses it from here on, and the caller waits for the thread's end.
    nonisolated(unsafe) let reading = source
    DispatchQueue(label: "import").async { unsafe ahead.read(reading) }
    defer { ahead.stop() }
    while true {
      let batch = ahead.next()
      for (entry, share) in batch.entries { try body(entry, share) }
      if let error = batch.error { throw error }
      if batch.isLast { return }
    }
  }

  private func next() -> Batch {
    filled.wait()
    defer { free.signal() }
    return state.withLock { $0.batches.removeFirst() }
  }

  private func stop() {
    state.withLock { $0.isStopped = true }
    free.signal()
    ended.wait()
  }

  // MARK: The thread

  private func read(_ source: ImportSource) {
    var source = source
    defer { ended.signal() }
    while true {
      free.wait()
      guard !state.withLock(\.isStopped) else { return }
      let batch = Self.batch(from: &source)
      state.withLock { $0.batches.append(batch) }
      filled.signal()
      if batch.isLast { return }
    }
  }

  private static func batch(from source: inout ImportSource) -> Batch {
    var batch = Batch()
    do throws(VaultError) {
      while !batch.isFull {
        guard let entry = try source.next() else {
          batch.isLast = true
          break
        }
        batch.secretCount += entry.secretCount
        batch.entries.append((entry, source.share))
      }
    } catch {
      (batch.isLast, batch.error) = (true, error)
    }
    return batch
  }
}
