import Glibc
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
    guard !queue.isForked, !Delivery.isPostponed else { return }
    calling.withLock { _ in }
  }
}

/// A thread's delivery state: whether observers may be called on it, and the queues that it must
/// deliver afterwards.
///
/// Observers call the vault, so none is called while this thread holds a lock of any store, even of
/// another vault, or runs another observer.
package final class Delivery {
  /// The number of active calls of ``after(_:)``, plus one while observers are called.
  private var depth = 0
  private var queues: [EventQueue] = []

  private init() {}

  /// Whether this thread holds a store's lock or runs an observer.
  static var isPostponed: Bool { current.depth > 0 }

  /// Runs `body`, and delivers events posted meanwhile when the outermost such body has ended.
  package static func after<R, E: Error>(_ body: (Delivery) throws(E) -> R) throws(E) -> R {
    let own = current
    own.depth += 1
    defer { own.leave() }
    return try body(own)
  }

  /// Records that this thread posted to a queue.
  func owe(_ queue: EventQueue) {
    if queues.last !== queue { queues.append(queue) }
  }

  private func leave() {
    if depth == 1 {
      while !queues.isEmpty { queues.removeFirst().deliver() }
    }
    depth -= 1
  }

  // MARK: Thread state

  private static var current: Delivery {
    // The key holds an own reference to a `Delivery`, released when the thread ends.
    if let known = unsafe pthread_getspecific(key) {
      return unsafe Unmanaged<Delivery>.fromOpaque(known).takeUnretainedValue()
    }
    let new = Delivery()
    let status = unsafe pthread_setspecific(key, Unmanaged.passRetained(new).toOpaque())
    precondition(status == 0, "out of memory: a thread has no place for what it has to deliver")
    return new
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    // The destructor gets what a thread has set, once, and never nil.
    let status = unsafe pthread_key_create(&key) { unsafe Delivery.release($0) }
    precondition(status == 0, "no place is left for what threads have to deliver")
    return key
  }()

  private static func release(_ known: UnsafeMutableRawPointer?) {
    guard let known = unsafe known else { return }
    unsafe Unmanaged<Delivery>.fromOpaque(known).release()
  }
}
