import Glibc

/// A thread's delivery state: whether observers may be called on it, and the queues that it must
/// deliver afterwards.
///
/// Observers call the vault, so none is called while this thread holds a lock of any store, even of
/// another vault, or runs another observer.
package final class EventDelivery {
  /// The number of active calls of ``after(_:)``, plus one while observers are called.
  private var depth = 0
  private var queues: [EventQueue] = []

  private init() {}

  /// Whether this thread holds a store's lock or runs an observer.
  static var isPostponed: Bool { current.depth > 0 }

  /// Runs `body`, and delivers events posted meanwhile when the outermost such body has ended.
  package static func after<R, E: Error>(_ body: (EventDelivery) throws(E) -> R) throws(E) -> R {
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

  private static var current: EventDelivery {
    // The key holds an own reference to an `EventDelivery`, released when the thread ends.
    if let known = unsafe pthread_getspecific(key) {
      return unsafe Unmanaged<EventDelivery>.fromOpaque(known).takeUnretainedValue()
    }
    let new = EventDelivery()
    let status = unsafe pthread_setspecific(key, Unmanaged.passRetained(new).toOpaque())
    precondition(status == 0, "out of memory: a thread has no place for what it has to deliver")
    return new
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    // The destructor gets what a thread has set, once, and never nil.
    let status = unsafe pthread_key_create(&key) { unsafe EventDelivery.release($0) }
    precondition(status == 0, "no place is left for what threads have to deliver")
    return key
  }()

  private static func release(_ known: UnsafeMutableRawPointer?) {
    guard let known = unsafe known else { return }
    unsafe Unmanaged<EventDelivery>.fromOpaque(known).release()
  }
}
