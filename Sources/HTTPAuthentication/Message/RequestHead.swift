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
