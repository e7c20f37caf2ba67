public import VaultModel

/// The origin of a URL: its scheme, host and port; data for one origin is not sent to another.
///
/// - Source: RFC 6454 §4.
public struct Origin: Hashable, Sendable {
  /// `http` or `https`.
  public let `protocol`: NetworkProtocol
  /// The server.
  public let host: HostName
  /// The port; the scheme's default if the URL has none.
  public let port: UInt16

  /// Whether data sent there does not leave this machine unencrypted: TLS, or a loopback host.
  public var isTrustworthy: Bool { `protocol`.isEncrypted || host.isLoopback }
}

extension Origin: CustomStringConvertible {
  /// The origin as at the start of a URL: `https://git.example.com:8443`, without a default port.
  public var description: String {
    "\(`protocol`)://\(authority)"
  }

  /// The host, and the port unless it is the default, as in `Host`.
  var authority: String {
    port == `protocol`.defaultPort ? host.urlText : "\(host.urlText):\(port)"
  }

  /// The target of a `CONNECT` to the origin: the host, and always a port.
  ///
  /// - Source: RFC 9110 §9.3.6.
  var tunnelTarget: String { "\(host.urlText):\(port)" }
}
