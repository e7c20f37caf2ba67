import Glibc

/// A thread's own note of when no observer may be called on it, and of the queues that it has to deliver after that.
///
/// Observers call the vault, so none is called while this thread holds a lock of any store's, be it of another
/// vault, nor from within another observer.
package final class Delivery {
  /// How many times ``after(_:)`` has begun and not ended, plus one while observers are called.
  private var depth = 0
  private var queues: [EventQueue] = []

  private init() {}

  /// Whether this thread is within a store's lock or an observer.
  static var isPostponed: Bool { current.depth > 0 }

  /// Runs `body`, and delivers what was posted meanwhile when the outermost such body is over.
  package static func after<R, E: Error>(_ body: (Delivery) throws(E) -> R) throws(E) -> R {
    let own = current
    own.depth += 1
    defer { own.leave() }
    return try body(own)
  }

  /// Notes that this thread posted to a queue.
  func owe(_ queue: EventQueue) {
    if queues.last !== queue { queues.append(queue) }
  }

  private func leave() {
    if depth == 1 {
      while !queues.isEmpty { queues.removeFirst().deliver() }
    }
    depth -= 1
  }

  // MARK: Of a thread

  private static var current: Delivery {
    // What the key holds is an own reference to a `Delivery`, released when the thread ends.
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
