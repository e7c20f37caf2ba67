import Glibc

/// A value that one thread at a time can access.
///
/// It uses a `pthread_mutex_t` and not a `Mutex`: ThreadSanitizer does not see how the kernel hands
/// over a contended `Mutex`, and reports false races. Also, a thread that asks for its own lock
/// again gets an error here instead of waiting forever.
// Proof: the state is only touched with the mutex held; the pointer is set once and freed in
// deinit.
@safe package final class Lock<State>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var state: State

  package init(_ state: State) {
    self.state = state
    // The pointer is valid from here to deinit, and initialized once.
    unsafe mutex = .allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    unsafe pthread_mutexattr_init(&attributes)
    unsafe pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
    unsafe pthread_mutex_init(mutex, &attributes)
    unsafe pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    // Nobody holds the lock of an object that nobody holds.
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Runs `body` with the state; it must not ask for the lock again.
  package func withLock<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
    let status = unsafe pthread_mutex_lock(mutex)
    precondition(status == 0, "a lock was asked for by the thread that holds it")
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Runs `body` with the state, or returns nil if any thread is in such a body.
  ///
  /// In a forked child, that thread may not exist and will then never leave it.
  package func withLockIfFree<R, E: Error>(
    _ body: (inout State) throws(E) -> R
  ) throws(E) -> R? {
    guard unsafe pthread_mutex_trylock(mutex) == 0 else { return nil }
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Runs `body` with the state, or returns nil if this thread is within another such body.
  ///
  /// - Parameters:
  ///   - whileWaiting: Called every 20 ms while another thread holds the lock.
  ///   - body: Runs with the lock held.
  /// - Returns: The result of `body`.
  /// - Throws: Any error of `body`, and of `whileWaiting`, which ends the wait.
  package func withLockUnlessHeld<R, E: Error>(
    whileWaiting: () throws(E) -> Void, _ body: (inout State) throws(E) -> R
  ) throws(E) -> R? {
    var status = unsafe pthread_mutex_trylock(mutex)
    while status != 0 {
      var deadline = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &deadline)
      deadline.tv_nsec += 20_000_000
      if deadline.tv_nsec >= 1_000_000_000 {
        deadline.tv_nsec -= 1_000_000_000
        deadline.tv_sec += 1
      }
      status = unsafe pthread_mutex_timedlock(mutex, &deadline)
      if status == EDEADLK { return nil }
      if status != 0 { try whileWaiting() }
    }
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
