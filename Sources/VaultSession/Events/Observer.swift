import SecureMemory
import Synchronization
import VaultModel

/// Somebody who is told of a queue's events, until it is cancelled.
package final class Observer: Sendable {
  /// Its place in the order of the queue: it is told of what has a higher number.
  let number: UInt64
  let owner: ObjectIdentifier
  private let queue: EventQueue
  private let handler: @Sendable (VaultEvent) -> Void
  private let ended: @Sendable () -> Void
  private let isCancelled = Atomic(false)
  /// Held while the handler runs, and by nobody but who calls it or waits for that.
  ///
  /// No state is needed; but one of no size has the lock's own address, and ThreadSanitizer reports a race.
  private let calling = Lock(UInt8(0))

  init(
    of queue: EventQueue, number: UInt64, owner: ObjectIdentifier,
    handler: @escaping @Sendable (VaultEvent) -> Void, ended: @escaping @Sendable () -> Void
  ) {
    self.queue = queue
    self.number = number
    self.owner = owner
    self.handler = handler
    self.ended = ended
  }

  func call(_ event: VaultEvent) {
    calling.withLock { _ in
      guard !isCancelled.load(ordering: .acquiring) else { return }
      handler(event)
    }
  }

  /// Says that nothing comes any more.
  func end() {
    guard !isCancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    ended()
  }

  /// Lets no further call of the handler begin, and waits for one that runs on another thread.
  ///
  /// From within a handler or a transaction it does not wait: the two might wait for each other.
  package func cancel() {
    isCancelled.store(true, ordering: .releasing)
    guard !queue.isForked else { return }
    queue.remove { $0 === self }
    guard !Delivery.isPostponed else { return }
    calling.withLock { _ in }
  }
}
