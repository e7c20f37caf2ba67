public import CVault
import VaultModel

/// Runs a function as one transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction(
  _ vault: OpaquePointer?, _ body: vault_transaction_body_t?, _ context: UnsafeMutableRawPointer?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    guard let body = unsafe body else { throw .missing }
    // The caller's function gets the caller's pointer.
    try unsafe TransactionHandle.run(in: handle) { unsafe body($0, context) }
  }
}
