public import VaultModel

/// The parts of a request that authentication needs.
public struct RequestHead: Sendable {
  /// The method, such as `GET`; case-sensitive.
  public var method: String
  /// The URL of the request; a user in it is the account, a password in it a credential.
  public var url: RequestURL
  /// The proxy that it goes through.
  public var proxy: Proxy?
  /// The caller's credential for the server itself; never stored.
  public var credential: Credential?
  /// The caller's credential for the proxy itself; never stored.
  public var proxyCredential: Credential?
  /// The user whose credential is wanted at the server; nil leaves it to the vault.
  public var account: String?
  /// The user whose credential is wanted at the proxy; nil leaves it to the vault.
  public var proxyAccount: String?

  /// Creates a request; the caller sets its other attributes.
  public init(_ method: String = "GET", url: RequestURL, proxy: Proxy? = nil) {
    self.method = method
    self.url = url
    self.proxy = proxy
  }

  /// Whether the proxy only relays bytes, after `CONNECT`: it sees only the server's host and port.
  public var isTunnelled: Bool { proxy != nil && url.origin.protocol == .https }
}

/// The HTTP proxy that a request goes through.
public struct Proxy: Hashable, Sendable {
  /// The proxy's own host, never that of the server behind it.
  public let host: HostName
  /// The proxy's port.
  public let port: UInt16
  /// ``NetworkProtocol/httpProxy``, or ``NetworkProtocol/httpsProxy`` if the connection to the
  /// proxy is encrypted.
  public let type: NetworkProtocol

  /// Creates a proxy.
  ///
  /// - Parameters:
  ///   - host: A host as ``HostName/init(_:)`` reads it, not empty.
  ///   - port: 1 to 65535.
  ///   - isEncrypted: Whether the connection to the proxy itself uses TLS.
  /// - Throws: ``VaultError/Code/invalidArgument`` if host or port is invalid.
  public init(host: String, port: Int, isEncrypted: Bool = false) throws(VaultError) {
    guard let number = UInt16(exactly: port), number > 0 else {
      throw VaultError(.invalidArgument, "port: not in 1 to 65535")
    }
    self.host = try HostName(host)
    guard !self.host.isUnset else { throw VaultError(.invalidArgument, "proxy: no host") }
    self.port = number
    type = isEncrypted ? .httpsProxy : .httpProxy
  }

  /// Creates the proxy that a URL names, as in `http_proxy`; its user and password are left to the
  /// caller.
  public init(_ url: RequestURL) {
    host = url.origin.host
    port = url.origin.port
    type = url.origin.protocol == .https ? .httpsProxy : .httpProxy
  }

  /// Whether data sent there does not leave this machine unencrypted.
  public var isTrustworthy: Bool { type.isEncrypted || host.isLoopback }
}
