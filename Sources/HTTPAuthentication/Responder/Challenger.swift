import VaultModel

/// The party that challenges a request: the destination server or the proxy.
struct Challenger: Sendable {
  /// The proxy; nil if the server challenges.
  let proxy: Proxy?
  /// The URL requested from the server.
  let url: RequestURL

  /// Determines the challenger from the status.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` unless the status is 401, or 407 with a proxy.
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

  /// Creates the challenger of a request: its server or its proxy.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the request has no proxy but its proxy is
  ///   wanted.
  init(_ request: RequestHead, isProxy: Bool) throws(VaultError) {
    guard !isProxy || request.proxy != nil else {
      throw VaultError(.invalidArgument, "request: goes through no proxy")
    }
    proxy = isProxy ? request.proxy : nil
    url = request.url
  }

  /// The name of the field that carries the challenges.
  var challengeField: String { proxy == nil ? "WWW-Authenticate" : "Proxy-Authenticate" }

  /// Returns the space in which the challenger's credentials are looked up.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge`` if no space can
  ///   have the realm.
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

  /// Returns whether a request goes to the same server, or through the same proxy.
  func isAsked(by request: RequestHead) -> Bool {
    proxy.map { $0 == request.proxy } ?? (url.origin == request.url.origin)
  }

  /// The scope of a credential if the challenge names none: the folder of the requested URL.
  ///
  /// - Source: RFC 7617 §2.2.
  var directory: ChallengeResponder.Scope { ChallengeResponder.Scope(directoryOf: url) }
}
