import Dispatch
import SealedTree
import SecureMemory
import VaultCrypto
import VaultModel

/// The nodes of a new replica, verified on a thread of its own while the next ones come and are
/// written: both take about as long.
///
/// A few batches wait at most, and of a row its tag remains: a million items take a few MiB.
/// An object is used by one thread.
final class IncomingRows {
  private typealias Batch = [(id: UInt64, sealed: [UInt8])]

  private static let batchSize = 256 << 10
  private static let mostBatches = 4

  private let tree: Lock<IncomingTree>
  // A lock of its own, so that the thread that takes rows does not wait for a batch.
  private let failure = Lock<VaultError?>(nil)
  private let queue = DispatchQueue(label: "replica")
  // It begins at 0: Dispatch ends the process if a semaphore is released below its initial value.
  private let free = DispatchSemaphore(value: 0)
  private var batch: Batch = []
  private var byteCount = 0

  init(_ keys: EpochKeys, below head: Head) {
    tree = Lock(IncomingTree(keys, below: head))
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
    return tree.withLock { $0 }
  }

  private func check() throws(VaultError) {
    free.wait()
    let (tree, failure, free, batch) = (tree, failure, free, batch)
    queue.async {
      if failure.withLock({ $0 == nil }) {
        do throws(VaultError) {
          try tree.withLock { (tree) throws(VaultError) in
            for row in batch { try tree.take(row.id, row.sealed) }
          }
        } catch {
          failure.withLock { $0 = error }
        }
      }
      free.signal()
    }
    (self.batch, byteCount) = ([], 0)
    try requireNoFailure()
  }

  private func requireNoFailure() throws(VaultError) {
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
