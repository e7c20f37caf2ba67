import CVault
import CredentialVault
import VaultModel

/// A vault that a C program has opened.
final class VaultHandle: Handle, @unchecked Sendable {
  // Immutable, and `Sendable` itself.
  let vault: Vault

  init(_ vault: Vault) {
    self.vault = vault
  }
}

/// Opens a vault and writes its handle to the caller's place.
func giveOut(
  at place: UnsafeMutablePointer<OpaquePointer?>?, _ open: () throws(VaultError) -> Vault
) -> vault_status_t {
  status { () throws(VaultError) in
    // The caller's place for a handle, which is written only once there is one.
    let place = try unsafe required(place)
    let vault = try open()
    unsafe place.pointee = VaultHandle(vault).givenOut()
  }
}
