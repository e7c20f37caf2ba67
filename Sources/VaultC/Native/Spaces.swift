public import CVault
import CredentialVault
import VaultModel

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Finds the default credential of a space; the contract is in `vault.h`.
@c @implementation
public func vault_get_default_credential(
  _ vault: OpaquePointer?, _ space: OpaquePointer?, _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let named = try AttributesHandle.at(space).attributes
    let space = try named.space()
    let place = try unsafe required(item)
    guard
      let chosen = try handle.vault.defaultItem(for: space, at: named.requestPath, secrets: true)
    else {
      throw VaultError(.itemNotFound, "\(space) has no default credential")
    }
    unsafe place.pointee = ItemHandle(chosen, in: handle).givenOut()
  }
}

/// Makes a user the default of a space; the contract is in `vault.h`.
@c @implementation
public func vault_set_default_user(
  _ vault: OpaquePointer?, _ space: OpaquePointer?, _ user: UnsafePointer<CChar>?, _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let vault = try VaultHandle.at(vault).vault
    let space = try AttributesHandle.at(space).attributes.space()
    let user = try unsafe Input.text(user, count)
    _ = try vault.setDefaultUser(user.isEmpty ? nil : user, for: space)
  }
}
