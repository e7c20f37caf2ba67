public import CVault
import CredentialVault
import VaultModel
import VaultAdministration

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept.

/// Opens a vault and unlocks it; the contract is in `vault.h`.
@c @implementation
public func vault_open(
  _ path: UnsafePointer<CChar>?, _ vault: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: vault) { () throws(VaultError) in
    try unsafe .open(path: Input.path(path))
  }
}

/// Opens a vault and leaves it locked; the contract is in `vault.h`.
@c @implementation
public func vault_open_locked(
  _ path: UnsafePointer<CChar>?, _ vault: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: vault) { () throws(VaultError) in
    try unsafe .openLocked(path: Input.path(path))
  }
}

/// Opens any vault at a path; the contract is in `vault.h`.
@c @implementation
public func vault_open_accepting(
  _ path: UnsafePointer<CChar>?, _ vault: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: vault) { () throws(VaultError) in
    try unsafe .openLocked(path: Input.path(path), acceptingAnotherVault: true)
  }
}

/// Opens a vault whose session is shared; the contract is in `vault.h`.
@c @implementation
public func vault_open_sharing(
  _ path: UnsafePointer<CChar>?, _ vault: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: vault) { () throws(VaultError) in
    try unsafe .open(path: Input.path(path), withSharedSession: true)
  }
}

/// Requires a session that is shared; the contract is in `vault.h`.
@c @implementation
public func vault_require_shared_session(_ vault: OpaquePointer?) -> vault_status_t {
  status { () throws(VaultError) in try VaultHandle.at(vault).vault.keys.requireSharedSession() }
}

/// Makes a vault without a file; the contract is in `vault.h`.
@c @implementation
public func vault_open_in_memory(
  _ vault: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: vault) { () throws(VaultError) in .inMemory() }
}

/// Makes a vault that is unlocked by a passphrase; the contract is in `vault.h`.
@c @implementation
public func vault_create_with_passphrase(
  _ path: UnsafePointer<CChar>?, _ passphrase: UnsafeRawPointer?, _ count: Int,
  _ vault: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: vault) { () throws(VaultError) in
    let passphrase = try unsafe Input.secret(required(passphrase), count)
    return try unsafe .create(path: Input.path(path), key: .passphrase(passphrase))
  }
}

/// Makes a vault that is unlocked by a key file; the contract is in `vault.h`.
@c @implementation
public func vault_create_with_key_file(
  _ path: UnsafePointer<CChar>?, _ key_file: UnsafePointer<CChar>?,
  _ vault: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: vault) { () throws(VaultError) in
    let keyFile = try unsafe Input.requiredPath(key_file)
    return try unsafe .create(path: Input.path(path), key: .keyFile(keyFile))
  }
}

/// Makes a vault that is unlocked by a passphrase and a key file together; the contract is in
/// `vault.h`.
@c @implementation
public func vault_create_with_passphrase_and_key_file(
  _ path: UnsafePointer<CChar>?, _ passphrase: UnsafeRawPointer?, _ count: Int,
  _ key_file: UnsafePointer<CChar>?, _ vault: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: vault) { () throws(VaultError) in
    let passphrase = try unsafe Input.secret(required(passphrase), count)
    let keyFile = try unsafe Input.requiredPath(key_file)
    return try unsafe .create(
      path: Input.path(path), key: .both(.passphrase(passphrase), .keyFile(keyFile)))
  }
}

/// Closes a vault; the contract is in `vault.h`.
@c @implementation
public func vault_close(_ vault: OpaquePointer?) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    try handle.vault.close()
    try handle.end()
  }
}
