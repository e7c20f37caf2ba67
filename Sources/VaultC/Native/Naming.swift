public import CVault
import CredentialVault
import VaultModel

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept.

/// Names a text attribute; the contract is in `vault.h`.
@c @implementation
public func vault_attributes_set_text(
  _ attributes: OpaquePointer?, _ attribute: vault_attribute_t, _ bytes: UnsafePointer<CChar>?,
  _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try AttributesHandle.at(attributes)
    let text = try unsafe Input.text(bytes, count)
    try handle.name { (named) throws(VaultError) in try named.name(attribute, text: text) }
  }
}

/// Names a number attribute; the contract is in `vault.h`.
@c @implementation
public func vault_attributes_set_number(
  _ attributes: OpaquePointer?, _ attribute: vault_attribute_t, _ number: UInt64
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try AttributesHandle.at(attributes)
    try handle.name { (named) throws(VaultError) in try named.name(attribute, number: number) }
  }
}

/// Names a data attribute; the contract is in `vault.h`.
@c @implementation
public func vault_attributes_set_data(
  _ attributes: OpaquePointer?, _ attribute: vault_attribute_t, _ bytes: UnsafeRawPointer?,
  _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try AttributesHandle.at(attributes)
    let data = try unsafe Input.data(bytes, count)
    try handle.name { (named) throws(VaultError) in try named.name(attribute, data: data) }
  }
}

/// Names the server attributes in a URL; the contract is in `vault.h`.
@c @implementation
public func vault_attributes_set_url(
  _ attributes: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try AttributesHandle.at(attributes)
    let url = try unsafe URLReference(Input.urlWithoutPath(bytes, count))
    try handle.name { (named) throws(VaultError) in try named.name(url) }
  }
}

/// Names the requested path; the contract is in `vault.h`.
@c @implementation
public func vault_attributes_set_request_path(
  _ attributes: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try AttributesHandle.at(attributes)
    let path = RequestPath(target: try unsafe Input.text(bytes, count))
    try handle.name { (named) throws(VaultError) in try named.name(path) }
  }
}

/// Names a custom attribute; the contract is in `vault.h`.
@c @implementation
public func vault_attributes_set_custom(
  _ attributes: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ name_count: Int,
  _ value: UnsafePointer<CChar>?, _ value_count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try AttributesHandle.at(attributes)
    let name = try unsafe Input.name(name, name_count)
    let value = try unsafe Input.text(value, value_count)
    try handle.name { (named) throws(VaultError) in named.name(custom: name, value) }
  }
}

/// Names the secret; the contract is in `vault.h`.
@c @implementation
public func vault_attributes_set_secret(
  _ attributes: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try AttributesHandle.at(attributes)
    let secret = try unsafe Input.secret(bytes, count)
    try handle.name { (named) throws(VaultError) in named.name(secret: secret) }
  }
}

/// Names the refresh token; the contract is in `vault.h`.
@c @implementation
public func vault_attributes_set_refresh_token(
  _ attributes: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try AttributesHandle.at(attributes)
    let token = try unsafe Input.secret(bytes, count)
    try handle.name { (named) throws(VaultError) in named.name(refreshToken: token) }
  }
}

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
      let chosen = try handle.vault.defaultItem(
        for: space, at: named.requestPath, withSecrets: true)
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
