import HTTPAuthentication
import SecureMemory
import VaultModel

/// The connections that a request may use: those that were made for the same party by the same one.
///
/// libcurl's own comparison is not relied on. It knows nothing of identities and decisions that its
/// callbacks use, and would send a second user's request over the first user's connection, TLS
/// session or tunnel.
struct Route: Hashable, Sendable {
  /// The number of the transport, which has its own policy and prompts.
  let transport: Int
  let origin: Origin
  /// The identity and the decisions for the server; nil without TLS.
  let side: TLSSide?
  let proxy: ProxyRoute?
  /// The one connection of a login that they use; nil for connections that nobody logs in on.
  var place: LoginPlace.Number?

  /// Whether its connections have TLS, of the server or of the proxy.
  var hasTLS: Bool { side != nil || proxy?.side != nil }
}

/// The way through a proxy.
struct ProxyRoute: Hashable, Sendable {
  let kind: ProxyServer.Kind
  let host: HostName
  let port: UInt16
  /// The user whose connection to the proxy it is.
  var user: ProxyUser?
  /// The identity and the decisions for the proxy; nil without TLS.
  var side: TLSSide?

  /// Returns whether a request asks for a tunnel.
  func isTunnelled(to origin: Origin) -> Bool {
    (kind == .http || kind == .https) && origin.protocol == .https
  }
}

/// The user of a proxy, recognized without keeping the password.
struct ProxyUser: Hashable, Sendable {
  let user: String
  let secret: SecretHasher.Hash
}
