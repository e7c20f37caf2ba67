import CVault
import VaultC

extension CVaultObject {
  /// Runs a function as one transaction, with the vault within it; a failure in it abandons the
  /// transaction with its status.
  func transaction(_ body: @escaping (CVaultObject) throws -> Void) throws(Failure) {
    final class Context {
      let body: (CVaultObject) throws -> Void
      init(_ body: @escaping (CVaultObject) throws -> Void) { self.body = body }
    }
    let context = Context(body)
    let status = withExtendedLifetime(context) {
      // The object lives until the call returns, and nobody else gets the pointer.
      unsafe vault_transaction(
        handle,
        { vault, context in
          guard let context = unsafe context else { return VAULT_INTERNAL_ERROR }
          do {
            try unsafe Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().body(
              CVaultObject(lent: vault))
            return VAULT_OK
          } catch {
            return (error as? Failure)?.status ?? VAULT_INTERNAL_ERROR
          }
        }, Unmanaged.passUnretained(context).toOpaque())
    }
    try check(status)
  }
}
