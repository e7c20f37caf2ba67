public import CVault
import CredentialVault
import VaultModel

/// Returns the vault of an item; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemCopyVault(
  _ item: VaultItemRef?, _ vault: UnsafeMutablePointer<VaultRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let handle = try ItemHandle.ofKeychain(item)
    let place = try unsafe required(vault)
    unsafe place.pointee = handle.vault.reference()
  }
}

/// Copies an item with its dates into a vault; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemCreateCopy(
  _ item: VaultItemRef?, _ vault: VaultRef?, _ access: VaultAccessRef?,
  _ copy: UnsafeMutablePointer<VaultItemRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let handle = try ItemHandle.ofKeychain(item)
    try Keychain.requireNoAccess(access)
    let target = try KeychainVaults.one(vault)
    let known = handle.item
    let source = try handle.vault.vault.keychainItem(known.id, known.key, secrets: true)
    guard source.secret != nil else { throw VaultError(.expired, "the item has expired") }
    let added = try target.vault.addCopy(of: source)
    // The place is the caller's, or NULL.
    unsafe copy?.pointee = ItemHandle(added, in: target).givenOut()
  }
}
