import Glibc
import VaultModel

/// A lock that notices when its own thread asks for it twice, instead of hanging.
///
/// That happens when the body of a transaction calls the vault rather than its transaction.
// Proof: the pointer is set once and freed in deinit; a pthread mutex is made for many threads.
@safe final class StoreLock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
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

  /// - Throws: ``VaultError/Code/invalidArgument`` within itself on one thread, else what `body` throws.
  func withLock<R>(_ body: () throws(VaultError) -> R) throws(VaultError) -> R {
    guard unsafe pthread_mutex_lock(mutex) == 0 else {
      throw VaultError(.invalidArgument, "the vault was called from within its own transaction")
    }
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }
}
