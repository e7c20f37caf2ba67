import HTTPAuthentication
public import VaultModel

/// The proxy of a transport's requests.
public enum ProxyChoice: Sendable {
  /// The one that the environment names for each URL: `http_proxy`, `https_proxy`, `all_proxy`,
  /// `no_proxy`.
  case environment
  /// None.
  case none
  /// This one, except for the hosts of a list as `no_proxy` has it.
  case proxy(ProxyServer, except: String = "")
}

/// A proxy, with the credential that it needs.
public struct ProxyServer: Sendable {
  /// The ways in which a proxy is spoken to.
  public enum Kind: String, Sendable, CaseIterable {
    /// HTTP, with `CONNECT` for servers with TLS.
    case http
    /// The same over TLS.
    case https
    /// SOCKS 4, with the name resolved here.
    case socks4
    /// SOCKS 4a, with the name resolved by the proxy.
    case socks4a
    /// SOCKS 5, with the name resolved here.
    case socks5
    /// SOCKS 5, with the name resolved by the proxy.
    case socks5h
  }

  /// The way in which it is spoken to.
  public let kind: Kind
  /// Its own host.
  public let host: HostName
  /// Its port.
  public let port: UInt16
  /// The caller's credential for it; a SOCKS proxy gets no other.
  public var credential: Credential?
  /// The user whose credential is wanted there; nil leaves it to the vault.
  public var user: String?

  /// Creates a proxy.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if host or port is invalid.
  public init(
    _ kind: Kind = .http, host: String, port: Int, credential: Credential? = nil,
    user: String? = nil
  ) throws(VaultError) {
    let proxy = try Proxy(host: host, port: port, overTLS: kind == .https)
    self.kind = kind
    (self.host, self.port) = (proxy.host, proxy.port)
    self.credential = credential
    self.user = user
  }
}
