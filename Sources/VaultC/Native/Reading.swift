public import CVault
import CredentialVault
import SecureMemory
import VaultModel

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Copies a text attribute; the contract is in `vault.h`.
@c @implementation
public func vault_item_copy_text(
  _ item: OpaquePointer?, _ attribute: vault_attribute_t,
  _ text: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let place = try unsafe required(text)
    unsafe place.pointee = try vault_buffer_t(
      copying: handle.read { (content) throws(VaultError) in try content.item.text(attribute) })
  }
}

/// Reads a number attribute; the contract is in `vault.h`.
@c @implementation
public func vault_item_get_number(
  _ item: OpaquePointer?, _ attribute: vault_attribute_t, _ number: UnsafeMutablePointer<UInt64>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let place = try unsafe required(number)
    unsafe place.pointee = try handle.read { (content) throws(VaultError) in
      try content.number(attribute)
    }
  }
}

/// Copies a data attribute; the contract is in `vault.h`.
@c @implementation
public func vault_item_copy_data(
  _ item: OpaquePointer?, _ attribute: vault_attribute_t,
  _ data: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let place = try unsafe required(data)
    unsafe place.pointee = try vault_buffer_t(
      copying: handle.read { (content) throws(VaultError) in try content.item.data(attribute) })
  }
}

/// Copies a custom attribute; the contract is in `vault.h`.
@c @implementation
public func vault_item_copy_custom(
  _ item: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ count: Int,
  _ value: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let name = try unsafe Input.name(name, count)
    let place = try unsafe required(value)
    unsafe place.pointee = try vault_buffer_t(
      copying: handle.read { (content) throws(VaultError) in content.item.custom[name] ?? "" })
  }
}

/// Copies the secret; the contract is in `vault.h`.
@c @implementation
public func vault_item_copy_secret(
  _ item: OpaquePointer?, _ secret: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let place = try unsafe required(secret)
    unsafe place.pointee = try vault_buffer_t(copying: handle.opened { $0.secret })
  }
}

/// Copies the refresh token; the contract is in `vault.h`.
@c @implementation
public func vault_item_copy_refresh_token(
  _ item: OpaquePointer?, _ token: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let place = try unsafe required(token)
    unsafe place.pointee = try vault_buffer_t(copying: handle.opened { $0.refreshToken })
  }
}

extension ItemHandle {
  /// Returns a secret of the item: as it was found, if that included its secrets, else the current
  /// one.
  ///
  /// - Throws: ``VaultError/Code/expired``, ``VaultError/Code/pinRequired``; the errors of finding
  ///   an item.
  fileprivate func opened(
    _ secret: (Item) -> Secret?
  ) throws(VaultError) -> Secret? {
    let known = try read { (content) throws(VaultError) -> (isOpen: Bool, secret: Secret?) in
      (content.item.secret != nil, secret(content.item))
    }
    if known.isOpen { return known.secret }
    let item = self.item
    let found = try scope.perform { (verbs) throws(VaultError) in
      try verbs.item(item.id, hint: item.key, withSecrets: true)
    }
    _ = try found.requireSecret()
    return secret(found)
  }
}
