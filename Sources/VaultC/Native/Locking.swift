public import CVault
import CredentialVault
import VaultModel

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept.

/// Unlocks a vault with the configured key; the contract is in `vault.h`.
@c @implementation
public func vault_unlock(_ vault: OpaquePointer?) -> vault_status_t {
  status { () throws(VaultError) in
    let vault = try VaultHandle.at(vault).vault
    let key = try KeySource.find()
    if try vault.opensUnasked(with: key) { return }
    guard key == nil else { throw VaultError(.locked, "no key that was found opens it") }
    guard try vault.state() == .unlocked else {
      throw VaultError(.locked, "the environment names no key")
    }
  }
}

/// Unlocks a vault with a passphrase; the contract is in `vault.h`.
@c @implementation
public func vault_unlock_with_passphrase(
  _ vault: OpaquePointer?, _ passphrase: UnsafeRawPointer?, _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let vault = try VaultHandle.at(vault).vault
    try unsafe vault.unlock(with: .passphrase(Input.secret(required(passphrase), count)))
  }
}

/// Unlocks a vault with a key file; the contract is in `vault.h`.
@c @implementation
public func vault_unlock_with_key_file(
  _ vault: OpaquePointer?, _ key_file: UnsafePointer<CChar>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let vault = try VaultHandle.at(vault).vault
    try unsafe vault.unlock(with: .keyFile(Input.requiredPath(key_file)))
  }
}

/// Unlocks a vault with a passphrase and a key file; the contract is in `vault.h`.
@c @implementation
public func vault_unlock_with_passphrase_and_key_file(
  _ vault: OpaquePointer?, _ passphrase: UnsafeRawPointer?, _ count: Int,
  _ key_file: UnsafePointer<CChar>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let vault = try VaultHandle.at(vault).vault
    let passphrase = try unsafe Input.secret(required(passphrase), count)
    let keyFile = try unsafe Input.requiredPath(key_file)
    try vault.unlock(with: .both(.passphrase(passphrase), .keyFile(keyFile)))
  }
}

/// Wipes the keys; the contract is in `vault.h`.
@c @implementation
public func vault_lock(_ vault: OpaquePointer?) -> vault_status_t {
  status { () throws(VaultError) in try VaultHandle.at(vault).vault.lock() }
}

/// Returns whether a vault can be used; the contract is in `vault.h`.
@c @implementation
public func vault_get_state(
  _ vault: OpaquePointer?, _ state: UnsafeMutablePointer<vault_state_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let vault = try VaultHandle.at(vault).vault
    let place = try unsafe required(state)
    switch try vault.state() {
    case .unlocked: unsafe place.pointee = VAULT_STATE_UNLOCKED
    case .locked: unsafe place.pointee = VAULT_STATE_LOCKED
    case .closed: throw VaultError(.closed, "the vault was closed")
    }
  }
}
