import Dispatch
import SealedTree
import SecureMemory
import VaultCrypto
import VaultModel

/// The nodes of a new replica, verified on a thread of its own while the next ones come and are
/// written: both take about as long.
///
/// A few batches wait at most, so the memory is bounded for a vault of any size. An object is used
/// by one thread.
final class IncomingRows {
  private typealias Batch = [(id: UInt64, sealed: [UInt8])]

  fileprivate struct State: Sendable {
    var tree: IncomingTree
    var failure: VaultError?
  }

  private static let batchSize = 256 << 10
  private static let mostBatches = 4

  private let state: Lock<State>
  private let queue = DispatchQueue(label: "replica")
  // It begins at 0: Dispatch ends the process if a semaphore is released below its initial value.
  private let free = DispatchSemaphore(value: 0)
  private var batch: Batch = []
  private var byteCount = 0

  init(_ keys: EpochKeys) {
    state = Lock(State(tree: IncomingTree(keys)))
    for _ in 0..<Self.mostBatches { free.signal() }
  }

  /// Takes a node, and verifies it soon.
  ///
  /// - Throws: ``VaultError/Code/damaged``, also for one that came before.
  func take(_ id: UInt64, _ sealed: [UInt8]) throws(VaultError) {
    batch.append((id, sealed))
    byteCount += sealed.count
    guard byteCount >= Self.batchSize else { return }
    try check()
  }

  /// Returns the tree once all its nodes are verified.
  ///
  /// - Throws: As ``take(_:_:)``.
  func finish() throws(VaultError) -> IncomingTree {
    try check()
    queue.sync {}
    try requireNoFailure()
    return state.withLock(\.tree)
  }

  private func check() throws(VaultError) {
    free.wait()
    let (state, free, batch) = (state, free, batch)
    queue.async {
      state.withLock { state in state.take(batch) }
      free.signal()
    }
    (self.batch, byteCount) = ([], 0)
    try requireNoFailure()
  }

  private func requireNoFailure() throws(VaultError) {
    if let failure = state.withLock(\.failure) { throw failure }
  }
}

extension IncomingRows.State {
  fileprivate mutating func take(_ batch: [(id: UInt64, sealed: [UInt8])]) {
    guard failure == nil else { return }
    do throws(VaultError) {
      for row in batch { try tree.take(row.id, row.sealed) }
    } catch {
      failure = error
    }
  }
}
