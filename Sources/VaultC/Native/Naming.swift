public import CVault
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
