public import CVault
import HTTPAuthentication
import SecureMemory
import VaultModel

// Each reference is what `vault_cfnetwork.h` says of it; it is looked up, and not kept.

/// Returns the type of authentications; the contract is in `vault_cfnetwork.h`, as for all of
/// these.
@c @implementation
public func VaultHTTPAuthenticationGetTypeID() -> VaultCFTypeID {
  VaultCFTypeID(HandleKind.authentication.rawValue)
}

/// Makes an authentication.
@c @implementation
public func VaultHTTPAuthenticationCreateFromResponse(
  _ allocator: VaultCFAllocatorRef?, _ response: VaultHTTPMessageRef?
) -> VaultHTTPAuthenticationRef? {
  unsafe created { () throws(VaultError) in
    let content = try MessageHandle.at(response).content
    guard !content.isRequest, let request = content.request else { return nil }
    let head = try request.toSide(ofProxy: content.status == 407)
    return AuthenticationHandle(try ChallengeResponder(content.response, to: head))
  }
}

/// Returns whether an authentication can be used.
@c @implementation
public func VaultHTTPAuthenticationIsValid(
  _ authentication: VaultHTTPAuthenticationRef?, _ error: UnsafeMutablePointer<VaultStreamError>?
) -> UInt8 {
  guard let authentication = unsafe found(authentication) else { return 0 }
  guard let problem = authentication.failure else { return 1 }
  unsafe tell(problem, at: error)
  return 0
}

/// Returns whether a credential applies to a request.
@c @implementation
public func VaultHTTPAuthenticationAppliesToRequest(
  _ authentication: VaultHTTPAuthenticationRef?, _ request: VaultHTTPMessageRef?
) -> UInt8 {
  // The reference is only taken apart.
  guard let authentication = unsafe found(authentication),
    let content = unsafe MessageHandle.find(UnsafeRawPointer(request))?.content,
    content.isRequest, let request = content.request
  else { return 0 }
  do throws(VaultError) {
    let head = try request.toSide(ofProxy: authentication.isProxy)
    return authentication.applies(to: head) ? 1 : 0
  } catch {
    return 0
  }
}

/// Returns whether the order of requests matters.
@c @implementation
public func VaultHTTPAuthenticationRequiresOrderedRequests(
  _ authentication: VaultHTTPAuthenticationRef?
) -> UInt8 {
  unsafe found(authentication)?.requiresOrderedRequests == true ? 1 : 0
}

/// Copies the realm.
@c @implementation
public func VaultHTTPAuthenticationCopyRealm(
  _ authentication: VaultHTTPAuthenticationRef?
) -> VaultCFStringRef? {
  unsafe copied { () throws(VaultError) in
    guard let authentication = unsafe found(authentication) else { return nil }
    return try unsafe CFObjects.string(authentication.realm)
  }
}

/// Copies the URLs where the credential applies.
@c @implementation
public func VaultHTTPAuthenticationCopyDomains(
  _ authentication: VaultHTTPAuthenticationRef?
) -> VaultCFArrayRef? {
  unsafe copied { () throws(VaultError) in
    guard let authentication = unsafe found(authentication) else { return nil }
    var urls: [URLHandle] = []
    for scope in authentication.domains {
      urls.append(try URLHandle("\(scope.origin)\(scope.path)"))
    }
    return try unsafe CFObjects.array(ofHandles: urls)
  }
}

/// Copies the scheme.
@c @implementation
public func VaultHTTPAuthenticationCopyMethod(
  _ authentication: VaultHTTPAuthenticationRef?
) -> VaultCFStringRef? {
  unsafe copied { () throws(VaultError) in
    guard let authentication = unsafe found(authentication), authentication.method != .unset
    else { return nil }
    return try unsafe CFObjects.string(authentication.method.scheme)
  }
}

/// Returns whether user and password are required.
@c @implementation
public func VaultHTTPAuthenticationRequiresUserNameAndPassword(
  _ authentication: VaultHTTPAuthenticationRef?
) -> UInt8 {
  unsafe found(authentication)?.requiresUserAndPassword == true ? 1 : 0
}

/// Returns whether an account domain is required.
@c @implementation
public func VaultHTTPAuthenticationRequiresAccountDomain(
  _ authentication: VaultHTTPAuthenticationRef?
) -> UInt8 {
  unsafe found(authentication)?.requiresAccountDomain == true ? 1 : 0
}

/// Applies a user and a password to a request.
@c @implementation
public func VaultHTTPMessageApplyCredentials(
  _ request: VaultHTTPMessageRef?, _ authentication: VaultHTTPAuthenticationRef?,
  _ user: VaultCFStringRef?, _ password: VaultCFStringRef?,
  _ error: UnsafeMutablePointer<VaultStreamError>?
) -> UInt8 {
  guard let authentication = unsafe found(authentication) else { return 0 }
  // The strings are the caller's, and read before this returns.
  let outcome = status { () throws(VaultError) in
    let handle = try MessageHandle.at(request)
    guard let user = unsafe CFObjects.text(of: UnsafeRawPointer(user)) else { throw .missing }
    var credential = Credential(
      user: user, secret: try unsafe CFObjects.secret(of: password), persistence: .none)
    if authentication.requiresToken { credential.kind = .token }
    try handle.change { (content) throws(VaultError) in
      guard content.isRequest, let request = content.request else {
        throw VaultError(.invalidArgument, "a message that is no request")
      }
      let head = try request.toSide(ofProxy: authentication.isProxy)
      content.apply(try authentication.field(for: credential, of: head), of: authentication)
    }
  }
  guard outcome != VAULT_OK else { return 1 }
  if let problem = authentication.failure { unsafe tell(problem, at: error) }
  return 0
}

/// Applies a dictionary's user and password to a request.
@c @implementation
public func VaultHTTPMessageApplyCredentialDictionary(
  _ request: VaultHTTPMessageRef?, _ authentication: VaultHTTPAuthenticationRef?,
  _ credentials: VaultCFDictionaryRef?, _ error: UnsafeMutablePointer<VaultStreamError>?
) -> UInt8 {
  // The values are the dictionary's; each function checks its type again.
  let user = unsafe CFObjects.value(of: credentials, for: "kCFHTTPAuthenticationUsername")
  let password = unsafe CFObjects.value(of: credentials, for: "kCFHTTPAuthenticationPassword")
  return unsafe VaultHTTPMessageApplyCredentials(
    request, authentication, OpaquePointer(user), OpaquePointer(password), error)
}

/// Returns the authentication of a reference; nil for anything else.
private func found(_ reference: VaultHTTPAuthenticationRef?) -> ChallengeResponder? {
  // The reference is only taken apart.
  unsafe AuthenticationHandle.find(UnsafeRawPointer(reference))?.authentication
}

/// Writes a problem to the caller's place, if there is one.
private func tell(
  _ problem: ChallengeResponder.Failure, at place: UnsafeMutablePointer<VaultStreamError>?
) {
  let number =
    switch problem {
    case .unreadable: kVaultStreamErrorHTTPParseFailure
    case .unsupported: kVaultStreamErrorHTTPAuthenticationTypeUnsupported
    case .badUser, .refused: kVaultStreamErrorHTTPAuthenticationBadUserName
    case .badPassword: kVaultStreamErrorHTTPAuthenticationBadPassword
    }
  // A place that the caller may give.
  unsafe place?.pointee = VaultStreamError(
    domain: VaultCFIndex(kVaultStreamErrorDomainHTTP), error: Int32(number))
}
