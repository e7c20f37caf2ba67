import CVault
import Glibc
import VaultModel

/// A thread's last failure.
enum LastError {
  /// A failure, with its text as C strings are.
  @safe fileprivate final class Failure {
    let error: VaultError?
    /// A C string of this object's own; nil if there was no memory for it.
    let text: UnsafeMutablePointer<CChar>?

    init(_ text: String, _ error: VaultError?) {
      self.error = error
      // strdup copies a C string that is valid during the call.
      unsafe self.text = strdup(text)
    }

    deinit { unsafe free(text) }
  }

  /// A time between two failures of a thread.
  struct Moment {
    fileprivate let last: Failure?

    /// The thread's last failure after that moment; nil if there is none.
    var laterError: VaultError? {
      let now = LastError.failure
      return now === last ? nil : now?.error
    }
  }

  /// Stores a failure until the thread's next one, or its end: a text, and the error that it
  /// explains if the items that it is about can be asked for.
  static func set(_ text: String, _ error: VaultError? = nil) {
    // The thread owns the new object, and the old one no longer, or nil.
    let old = unsafe pthread_getspecific(key)
    let new = unsafe Unmanaged.passRetained(Failure(text, error)).toOpaque()
    let isStored = unsafe pthread_setspecific(key, new) == 0
    unsafe release(isStored ? old : new)
  }

  /// The thread's message, which stays valid until its next failure; nil if nothing failed on it.
  static var text: UnsafePointer<CChar>? {
    // The thread keeps the object, and it the text.
    unsafe UnsafePointer(failure?.text)
  }

  /// The items that the thread's last failure is about.
  static var candidates: [Item] { failure?.error?.candidates ?? [] }

  /// The present moment of this thread.
  static var now: Moment { Moment(last: failure) }

  private static var failure: Failure? {
    // Only ``set(_:_:)`` stores something under the key.
    unsafe pthread_getspecific(key).map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  private static func release(_ failure: UnsafeMutableRawPointer?) {
    // A thread that has stored an object owns it.
    if let failure = unsafe failure { unsafe Unmanaged<Failure>.fromOpaque(failure).release() }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    // The destructor gets what a thread has set, once, and never nil.
    let status = unsafe pthread_key_create(&key) { unsafe LastError.release($0) }
    precondition(status == 0, "no place is left for the texts of errors")
    return key
  }()
}

/// Runs the body of a function and converts its error to a status, which ``vault_last_error()``
/// explains.
func status(_ body: () throws(VaultError) -> Void) -> vault_status_t {
  do throws(VaultError) {
    try HomeProcess.require()
    try body()
    return VAULT_OK
  } catch {
    LastError.set(error.text, error)
    return vault_status_t(UInt32(bitPattern: error.code.rawValue))
  }
}

/// Checks that a required pointer is not NULL.
///
/// - Throws: ``VaultError/Code/invalidArgument``.
func required<T>(
  _ pointer: UnsafeMutablePointer<T>?
) throws(VaultError) -> UnsafeMutablePointer<T> {
  // The pointer is only compared.
  guard let pointer = unsafe pointer else { throw .missing }
  return unsafe pointer
}

/// Checks a required pointer to constant data as for mutable data.
func required<T>(_ pointer: UnsafePointer<T>?) throws(VaultError) -> UnsafePointer<T> {
  // The pointer is only compared.
  guard let pointer = unsafe pointer else { throw .missing }
  return unsafe pointer
}

/// Checks a required pointer to raw data as for typed data.
func required(_ pointer: UnsafeRawPointer?) throws(VaultError) -> UnsafeRawPointer {
  // The pointer is only compared.
  guard let pointer = unsafe pointer else { throw .missing }
  return unsafe pointer
}

extension VaultError {
  /// A required pointer is NULL.
  static var missing: VaultError {
    VaultError(.invalidArgument, "a pointer that is required is NULL")
  }
}
