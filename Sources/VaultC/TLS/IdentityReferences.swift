public import CVault
import CredentialVault
import SecureMemory
import TLSCredentials
import VaultModel

// Each pointer is what `vault_tls.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Adds an identity whose key is in a token; the contract is in `vault_tls.h`.
@c @implementation
public func vault_identity_add_reference(
  _ vault: OpaquePointer?, _ certificates: UnsafeRawPointer?, _ certificates_count: Int,
  _ uri: UnsafePointer<CChar>?, _ uri_count: Int, _ url: UnsafePointer<CChar>?, _ url_count: Int,
  _ persistence: vault_persistence_t, _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOutIfWanted(at: item) { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let persistence = try Persistence(persistence)
    let file = try unsafe Input.data(required(certificates), certificates_count)
    let url = try unsafe Input.text(url, url_count)
    let space = url.isEmpty ? nil : try ProtectionSpace(url: url)
    let key = try unsafe KeyReference(uri: Input.secret(required(uri), uri_count))
    let result = try handle.vault.identities.add(
      Certificate.all(in: file), key: key, for: space, persistence: persistence)
    return (ItemHandle.Content(result.stored), handle)
  }
}

/// Copies the reference to a key, and its PIN; the contract is in `vault_tls.h`.
@c @implementation
public func vault_identity_copy_reference(
  _ item: OpaquePointer?, _ uri: UnsafeMutablePointer<vault_buffer_t>?,
  _ pin: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let (place, pinPlace) = (try unsafe required(uri), try unsafe required(pin))
    let stored = try StoredIdentity(handle.item)
    let reference = try handle.vault.vault.identities.openReference(stored)
    // Both copies are the caller's from here on; if the second fails, the first is freed.
    var text = try unsafe vault_buffer_t(copying: reference.uri)
    do throws(VaultError) {
      unsafe pinPlace.pointee = try vault_buffer_t(copying: reference.pin)
    } catch {
      unsafe vault_buffer_free(&text)
      throw error
    }
    unsafe place.pointee = text
  }
}
