import CVault
import VaultModel

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
