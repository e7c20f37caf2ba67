import VaultModel

/// Who challenges a request: the server that it is for, or the proxy that it goes through.
struct Challenger: Sendable {
  /// The proxy; nil if it is the server.
  let proxy: Proxy?
  /// What was requested of the server.
  let url: RequestURL

  /// Tells from the status who challenges.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` unless it is 401, or 407 with a proxy.
  init(_ response: ResponseHead, to request: RequestHead) throws(VaultError) {
    switch (response.status, request.proxy) {
    case (401, _): proxy = nil
    case (407, let proxy?): self.proxy = proxy
    case (407, nil):
      throw VaultError(.invalidArgument, "response: 407, and the request goes through no proxy")
    default: throw VaultError(.invalidArgument, "response: neither 401 nor 407")
    }
    url = request.url
  }

  /// The server that a request is for, or the proxy that it goes through.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for the proxy of a request without one.
  init(_ request: RequestHead, isProxy: Bool) throws(VaultError) {
    guard !isProxy || request.proxy != nil else {
      throw VaultError(.invalidArgument, "request: goes through no proxy")
    }
    proxy = isProxy ? request.proxy : nil
    url = request.url
  }

  /// The name of the fields that carry its challenges.
  var challengeField: String { proxy == nil ? "WWW-Authenticate" : "Proxy-Authenticate" }

  /// Where its credentials are looked up.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge`` if a space has no such realm.
  func space(realm: String, method: AuthenticationMethod) throws(VaultError) -> ProtectionSpace {
    if let proxy {
      return try ProtectionSpace(
        proxyHost: proxy.host.name, port: Int(proxy.port), type: proxy.type, realm: realm,
        authenticationMethod: method)
    }
    return try ProtectionSpace(
      host: url.origin.host, port: url.origin.port, protocol: url.origin.protocol, realm: realm,
      authenticationMethod: method)
  }

  /// Whether a request goes to the same server, or through the same proxy.
  func isAsked(by request: RequestHead) -> Bool {
    proxy.map { $0 == request.proxy } ?? (url.origin == request.url.origin)
  }

  /// What a credential is good for where the challenge does not say: the folder of what was requested.
  ///
  /// - Source: RFC 7617 §2.2.
  var directory: Authentication.Scope { Authentication.Scope(directoryOf: url) }
}
