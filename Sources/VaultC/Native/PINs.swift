public import CVault
import CredentialVault
import SecureMemory
import VaultModel

/// Copies the secret of an item that needs a PIN; the contract is in `vault.h`.
@c @implementation
public func vault_item_copy_secret_with_pin(
  _ item: OpaquePointer?, _ pin: UnsafeRawPointer?, _ count: Int,
  _ secret: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let pin = try unsafe Input.secret(required(pin), count)
    let place = try unsafe required(secret)
    let opened = try handle.vault.vault.pins.open(handle.item, pin: pin)
    unsafe place.pointee = try vault_buffer_t(copying: opened.secret)
  }
}

/// Seals the secret of an item by a PIN; the contract is in `vault.h`.
@c @implementation
public func vault_item_set_pin(
  _ item: OpaquePointer?, _ pin: UnsafeRawPointer?, _ count: Int, _ old: UnsafeRawPointer?,
  _ oldCount: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let pin = try unsafe Input.secret(required(pin), count)
    let old = try unsafe old == nil ? nil : Input.secret(old, oldCount)
    try handle.change { (content) throws(VaultError) in
      content.became(
        try handle.vault.vault.pins.set(pin, on: content.item, replacing: old))
    }
  }
}

/// Removes the PIN of an item; the contract is in `vault.h`.
@c @implementation
public func vault_item_remove_pin(
  _ item: OpaquePointer?, _ pin: UnsafeRawPointer?, _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let pin = try unsafe Input.secret(required(pin), count)
    try handle.change { (content) throws(VaultError) in
      content.became(try handle.vault.vault.pins.remove(from: content.item, pin: pin))
    }
  }
}
