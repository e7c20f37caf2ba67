public import CVault
import HTTPAuthentication
import SecureMemory
import VaultModel

// Each pointer is what `vault_http.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Creates an authentication; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authentication_create(
  _ response: OpaquePointer?, _ request: OpaquePointer?,
  _ authentication: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: authentication) { () throws(VaultError) in
    let response = try ResponseHandle.at(response).head
    let request = try RequestHandle.at(request).content.head
    return AuthenticationHandle(try ChallengeResponder(response, to: request))
  }
}

/// Frees an authentication; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authentication_free(_ authentication: OpaquePointer?) -> vault_status_t {
  guard unsafe authentication != nil else { return VAULT_OK }
  return status { () throws(VaultError) in try AuthenticationHandle.at(authentication).end() }
}

/// Returns why an authentication is not valid; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authentication_get_problem(
  _ authentication: OpaquePointer?, _ problem: UnsafeMutablePointer<vault_http_problem_t>?
) -> vault_status_t {
  unsafe give(problem, of: authentication) { vault_http_problem_t($0.failure) }
}

/// Returns whose challenge it is; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authentication_get_side(
  _ authentication: OpaquePointer?, _ side: UnsafeMutablePointer<vault_http_side_t>?
) -> vault_status_t {
  unsafe give(side, of: authentication) { vault_http_side_t(isProxy: $0.isProxy) }
}

/// Returns whether user and password are required; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authentication_requires_user_and_password(
  _ authentication: OpaquePointer?, _ required: UnsafeMutablePointer<Bool>?
) -> vault_status_t {
  unsafe give(required, of: authentication) { $0.requiresUserAndPassword }
}

/// Returns whether an account domain is required; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authentication_requires_account_domain(
  _ authentication: OpaquePointer?, _ required: UnsafeMutablePointer<Bool>?
) -> vault_status_t {
  unsafe give(required, of: authentication) { $0.requiresAccountDomain }
}

/// Returns whether the order of requests matters; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authentication_requires_ordered_requests(
  _ authentication: OpaquePointer?, _ required: UnsafeMutablePointer<Bool>?
) -> vault_status_t {
  unsafe give(required, of: authentication) { $0.requiresOrderedRequests }
}

/// Copies the realm; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authentication_copy_realm(
  _ authentication: OpaquePointer?, _ realm: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  unsafe give(realm, of: authentication) { (authentication) throws(VaultError) in
    // The buffer is the caller's.
    try unsafe vault_buffer_t(copying: authentication.realm)
  }
}

/// Copies the scheme; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authentication_copy_method(
  _ authentication: OpaquePointer?, _ method: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  unsafe give(method, of: authentication) { (authentication) throws(VaultError) in
    // The buffer is the caller's.
    try unsafe vault_buffer_t(copying: authentication.method.rawValue)
  }
}

/// Returns whether a credential applies to a request; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authentication_applies(
  _ authentication: OpaquePointer?, _ request: OpaquePointer?,
  _ applies: UnsafeMutablePointer<Bool>?
) -> vault_status_t {
  unsafe give(applies, of: authentication) { (authentication) throws(VaultError) in
    authentication.applies(to: try RequestHandle.at(request).content.head)
  }
}

/// Applies a credential to a request; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authentication_apply(
  _ authentication: OpaquePointer?, _ user: UnsafePointer<CChar>?, _ user_count: Int,
  _ password: UnsafeRawPointer?, _ password_count: Int, _ request: OpaquePointer?
) -> vault_status_t {
  status { () throws(VaultError) in
    let authentication = try AuthenticationHandle.at(authentication).authentication
    let handle = try RequestHandle.at(request)
    var credential = try unsafe Input.credential(
      user: user, user_count, password: password, password_count, persistence: .none)
    if authentication.requiresToken { credential.kind = .token }
    try handle.change { (content) throws(VaultError) in
      content.apply(
        try authentication.field(for: credential, of: content.head), of: authentication)
    }
  }
}

/// Judges what was applied to a request; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authentication_judge(
  _ authentication: OpaquePointer?, _ response: OpaquePointer?, _ request: OpaquePointer?,
  _ verdict: UnsafeMutablePointer<vault_http_verdict_t>?
) -> vault_status_t {
  unsafe give(verdict, of: authentication) { (authentication) throws(VaultError) in
    let response = try ResponseHandle.at(response).head
    let content = try RequestHandle.at(request).content
    guard let applied = content.applied.first(where: { $0.authentication === authentication })
    else {
      throw VaultError(.invalidArgument, "nothing of the authentication was applied to the request")
    }
    return vault_http_verdict_t(
      try authentication.judge(response, to: applied.field, of: content.head))
  }
}

/// Writes what an authentication says to the caller's place.
private func give<Value>(
  _ place: UnsafeMutablePointer<Value>?, of authentication: OpaquePointer?,
  _ value: (ChallengeResponder) throws(VaultError) -> Value
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try AuthenticationHandle.at(authentication)
    // The caller's place.
    let place = try unsafe required(place)
    unsafe place.pointee = try value(handle.authentication)
  }
}

extension vault_http_problem_t {
  fileprivate init(_ problem: ChallengeResponder.Failure?) {
    self =
      switch problem {
      case nil: VAULT_HTTP_PROBLEM_NONE
      case .unreadable: VAULT_HTTP_PROBLEM_PARSE
      case .unsupported: VAULT_HTTP_PROBLEM_UNSUPPORTED
      case .badUser: VAULT_HTTP_PROBLEM_BAD_USER
      case .badPassword: VAULT_HTTP_PROBLEM_BAD_PASSWORD
      case .refused: VAULT_HTTP_PROBLEM_REFUSED
      }
  }
}

extension vault_http_verdict_t {
  fileprivate init(_ verdict: ChallengeResponder.Verdict) {
    self =
      switch verdict {
      case .accepted: VAULT_HTTP_VERDICT_ACCEPTED
      case .stale: VAULT_HTTP_VERDICT_STALE
      case .rejected: VAULT_HTTP_VERDICT_REJECTED
      case .refused: VAULT_HTTP_VERDICT_REFUSED
      case .insufficientScope: VAULT_HTTP_VERDICT_INSUFFICIENT_SCOPE
      case .unproven: VAULT_HTTP_VERDICT_UNPROVEN
      case .undecided: VAULT_HTTP_VERDICT_UNDECIDED
      }
  }
}
