import CVault
import VaultModel

/// Runs what a function does and turns its error into a status, which ``vault_last_error()`` explains.
func status(_ body: () throws(VaultError) -> Void) -> vault_status_t {
  do throws(VaultError) {
    try HomeProcess.require()
    try body()
    return VAULT_OK
  } catch {
    LastError.set(error.text)
    return vault_status_t(UInt32(bitPattern: error.code.rawValue))
  }
}

/// Checks that a pointer that the caller has to give is not NULL.
///
/// - Throws: ``VaultError/Code/invalidArgument``.
func required<T>(
  _ pointer: UnsafeMutablePointer<T>?
) throws(VaultError) -> UnsafeMutablePointer<T> {
  // The pointer is only compared.
  guard let pointer = unsafe pointer else { throw .missing }
  return unsafe pointer
}

/// As for a pointer to what can be changed.
func required<T>(_ pointer: UnsafePointer<T>?) throws(VaultError) -> UnsafePointer<T> {
  // The pointer is only compared.
  guard let pointer = unsafe pointer else { throw .missing }
  return unsafe pointer
}

/// As for a pointer to what has a type.
func required(_ pointer: UnsafeRawPointer?) throws(VaultError) -> UnsafeRawPointer {
  // The pointer is only compared.
  guard let pointer = unsafe pointer else { throw .missing }
  return unsafe pointer
}

extension VaultError {
  fileprivate static var missing: VaultError {
    VaultError(.invalidArgument, "a pointer that is required is NULL")
  }
}
