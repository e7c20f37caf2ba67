import SecureMemory
import Synchronization
import VaultModel

/// An observer of a queue's events, until it is cancelled.
package final class Observer: Sendable {
  /// Its position in the queue's order: it receives events with a higher number.
  let number: UInt64
  let owner: ObjectIdentifier
  private let queue: EventQueue
  private let handler: @Sendable (VaultEvent) -> Void
  private let ended: @Sendable () -> Void
  private let isCancelled = Atomic(false)
  /// The lock held while the handler runs; only its caller, or a thread waiting for that call,
  /// takes it.
  ///
  /// No state is needed. But an empty state has the lock's own address, and ThreadSanitizer reports
  /// a race.
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

  /// Calls the end handler, once.
  func end() {
    guard !isCancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    ended()
  }

  /// Prevents further calls of the handler, without waiting for one that runs on another thread.
  package func stop() {
    isCancelled.store(true, ordering: .releasing)
    guard !queue.isForked else { return }
    queue.remove { $0 === self }
  }

  /// Prevents further calls of the handler, and waits for one that runs on another thread.
  ///
  /// It does not wait inside a handler or a transaction, because the two might wait for each other.
  package func cancel() {
    stop()
    guard !queue.isForked, !EventDelivery.isPostponed else { return }
    calling.withLock { _ in }
  }
}
