public import CVault
import HTTPAuthentication
import SecureMemory
import VaultModel

// Each pointer is what `vault_http.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Describes a request; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_request_create(
  _ method: UnsafePointer<CChar>?, _ method_count: Int, _ url: UnsafePointer<CChar>?,
  _ url_count: Int, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: request) { () throws(VaultError) in
    let method = try unsafe Input.text(required(method), method_count)
    guard !method.isEmpty else { throw VaultError(.invalidArgument, "a request has a method") }
    let url = try RequestURL(unsafe Input.text(required(url), url_count))
    return RequestHandle(RequestHead(method, url: url))
  }
}

/// Copies the URL of a request; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_request_copy_url(
  _ request: OpaquePointer?, _ url: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let head = try RequestHandle.at(request).content.head
    let place = try unsafe required(url)
    // The buffer is the caller's.
    unsafe place.pointee = try vault_buffer_t(copying: head.url.description)
  }
}

/// Frees a request; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_request_free(_ request: OpaquePointer?) -> vault_status_t {
  guard unsafe request != nil else { return VAULT_OK }
  return status { () throws(VaultError) in try RequestHandle.at(request).end() }
}

/// Names the proxy of a request; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_request_set_proxy(
  _ request: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try RequestHandle.at(request)
    let url = try unsafe Input.text(url, count)
    let proxy = url.isEmpty ? nil : Proxy(try RequestURL(url))
    try handle.change { (content) throws(VaultError) in content.head.proxy = proxy }
  }
}

/// Names the user of a request; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_request_set_user(
  _ request: OpaquePointer?, _ side: vault_http_side_t, _ user: UnsafePointer<CChar>?,
  _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try RequestHandle.at(request)
    let isProxy = try side.isProxy
    let text = try unsafe Input.text(user, count)
    let user = text.isEmpty ? nil : text
    try handle.change { (content) throws(VaultError) in
      if isProxy { content.head.proxyUser = user } else { content.head.user = user }
    }
  }
}

/// Says that the client tells connections apart; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_request_tell_connections_apart(
  _ request: OpaquePointer?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try RequestHandle.at(request)
    try handle.change { (content) throws(VaultError) in content.head.tellsConnectionsApart = true }
  }
}

/// Gives a request its own credential; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_request_set_credential(
  _ request: OpaquePointer?, _ side: vault_http_side_t, _ user: UnsafePointer<CChar>?,
  _ user_count: Int, _ password: UnsafeRawPointer?, _ password_count: Int,
  _ persistence: vault_persistence_t
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try RequestHandle.at(request)
    let isProxy = try side.isProxy
    let credential = try unsafe Input.credential(
      user: user, user_count, password: password, password_count,
      persistence: Persistence(persistence))
    try handle.change { (content) throws(VaultError) in
      if isProxy {
        content.head.proxyCredential = credential
      } else {
        content.head.credential = credential
      }
    }
  }
}

/// Gives a request its own token; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_request_set_token(
  _ request: OpaquePointer?, _ side: vault_http_side_t, _ token: UnsafeRawPointer?, _ count: Int,
  _ persistence: vault_persistence_t
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try RequestHandle.at(request)
    let isProxy = try side.isProxy
    let secret = try unsafe Input.secret(token, count)
    let credential = Credential(token: secret, persistence: try Persistence(persistence))
    try handle.change { (content) throws(VaultError) in
      if isProxy {
        content.head.proxyCredential = credential
      } else {
        content.head.credential = credential
      }
    }
  }
}

/// Gives a request its body; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_request_set_body(
  _ request: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try RequestHandle.at(request)
    let body = try unsafe Input.data(bytes, count)
    try handle.change { (content) throws(VaultError) in content.head.body = body }
  }
}

/// Copies the fields of a request; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_request_copy_fields(
  _ request: OpaquePointer?,
  _ fields: UnsafeMutablePointer<UnsafeMutablePointer<vault_http_field_t>?>?,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  unsafe giveOut(at: fields, count) { () throws(VaultError) in
    try RequestHandle.at(request).content.applied.map(\.field)
  }
}

extension Input {
  /// Copies a user and a password.
  ///
  /// - Throws: As ``text(_:_:)`` and ``secret(_:_:)``.
  static func credential(
    user: UnsafePointer<CChar>?, _ userCount: Int, password: UnsafeRawPointer?,
    _ passwordCount: Int, persistence: Persistence
  ) throws(VaultError) -> Credential {
    // The caller says that they are so long; they are read before this returns.
    try unsafe Credential(
      user: text(user, userCount), secret: secret(password, passwordCount),
      persistence: persistence)
  }
}
