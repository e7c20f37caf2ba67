import Glibc

/// The message of a thread's last failure.
enum LastError {
  /// Stores a text as a C string until the thread's next failure, or its end.
  static func set(_ text: String) {
    // strdup copies a C string that is valid during the call; the old one is this thread's own, or
    // nil.
    unsafe free(pthread_getspecific(key))
    _ = unsafe pthread_setspecific(key, strdup(text))
  }

  /// The thread's message, which stays valid until its next failure; nil if nothing failed on it.
  static var text: UnsafePointer<CChar>? {
    // Only ``set(_:)`` stores something under the key: a C string.
    unsafe UnsafePointer(pthread_getspecific(key)?.assumingMemoryBound(to: CChar.self))
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    // The destructor gets what a thread has set, once, and never nil.
    let status = unsafe pthread_key_create(&key) { unsafe free($0) }
    precondition(status == 0, "no place is left for the texts of errors")
    return key
  }()
}
