public import VaultModel

/// The HTTP proxy that a request goes through.
public struct Proxy: Hashable, Sendable {
  /// The proxy itself, never the server behind it.
  public let host: HostName
  /// Its port.
  public let port: UInt16
  /// ``NetworkProtocol/httpProxy``, or ``NetworkProtocol/httpsProxy`` if the way to the proxy is encrypted.
  public let type: NetworkProtocol

  /// Names a proxy.
  ///
  /// - Parameters:
  ///   - host: As ``HostName/init(_:)`` reads it, not empty.
  ///   - port: 1 to 65535.
  ///   - isEncrypted: Whether the way to the proxy itself is TLS.
  /// - Throws: ``VaultError/Code/invalidArgument`` if one is not so.
  public init(host: String, port: Int, isEncrypted: Bool = false) throws(VaultError) {
    guard let number = UInt16(exactly: port), number > 0 else {
      throw VaultError(.invalidArgument, "port: not in 1 to 65535")
    }
    self.host = try HostName(host)
    guard !self.host.isUnset else { throw VaultError(.invalidArgument, "proxy: no host") }
    self.port = number
    type = isEncrypted ? .httpsProxy : .httpProxy
  }

  /// Takes the proxy that a URL names, as in `http_proxy`; its user and password are the caller's to use.
  public init(_ url: RequestURL) {
    host = url.origin.host
    port = url.origin.port
    type = url.origin.protocol == .https ? .httpsProxy : .httpProxy
  }

  /// Whether what is sent there does not leave this machine unencrypted.
  public var isTrustworthy: Bool { type.isEncrypted || host.isLoopback }
}
