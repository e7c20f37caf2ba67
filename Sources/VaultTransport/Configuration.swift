public import HTTPAuthentication
public import TLSCredentials

extension Transport {
  /// The settings of a transport; each has a default.
  public struct Configuration: Sendable {
    /// The proxy that requests go through.
    public var proxy = ProxyChoice.environment
    /// The policy by which servers are judged, together with the vault's decisions about them.
    public var trustPolicy = TrustPolicy()
    /// The policy by which a proxy with TLS is judged, together with the decisions about it.
    public var proxyTrustPolicy = TrustPolicy()
    /// A prompt for servers that are not trusted but could be, and for those whose key has changed;
    /// nil refuses them.
    public var trustPrompt: TrustPrompt?
    /// Whether ``trustPrompt`` is also asked about servers that are trusted.
    public var asksAboutTrustedServers = false
    /// A prompt for the identity to present, asked before the vault; nil if there is none.
    public var identityPrompt: IdentityPrompt?
    /// The limits on the time that a request may take, unless it has its own.
    public var limits = TimeLimits()
    /// The most connections to one origin.
    public var mostConnections = 6
    /// Whether HTTP/2 is offered to servers with TLS that are not behind a proxy with TLS.
    public var allowsHTTP2 = true
    /// Whether a compressed body is decoded, unless the request has its own `Accept-Encoding`.
    public var decodesContent = true
    /// The length in bytes of the part of a body that is kept in memory for its reader.
    public var bufferSize = 1 << 18
    /// The most redirects that a request follows.
    public var mostRedirects = 20
    /// The fields of all requests that do not have their own of that name.
    public var fields: [ResponseHead.Field] = []

    /// Creates settings, each as its property says.
    public init() {}
  }
}

/// The limits on the time that a request may take; nil for none.
public struct TimeLimits: Sendable, Hashable {
  /// The time to connect, with the name's resolution, the proxy and TLS.
  public var connect: Duration?
  /// The time without a byte in either direction, while neither a reader nor a body is waited for.
  public var idle: Duration?
  /// The time for a request in all, with its redirects and its body.
  ///
  /// The time between its attempts, such as that of a question to a person, does not count.
  public var total: Duration?

  /// Creates limits.
  public init(
    connect: Duration? = .seconds(60), idle: Duration? = .seconds(60), total: Duration? = nil
  ) {
    self.connect = connect
    self.idle = idle
    self.total = total
  }
}
