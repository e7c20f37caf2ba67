import VaultModel

/// A server that is reached by TLS from the first byte on.
struct TLSServer: CustomStringConvertible {
  let networkProtocol: NetworkProtocol
  let host: HostName
  let port: UInt16

  /// Reads a URL, or a host alone, which is https.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is none, or the protocol has no port.
  init(_ text: String) throws(VaultError) {
    let url = try URLReference(text.contains("://") ? text : "https://\(text)")
    guard !url.host.isUnset, let port = url.port ?? url.protocol.defaultPort, port != 0 else {
      throw VaultError(.invalidArgument, "name a server by its URL: https://HOST[:PORT]")
    }
    guard url.protocol != .http else {
      throw VaultError(.invalidArgument, "http has no certificates; name the server by https://")
    }
    (networkProtocol, host, self.port) = (url.protocol, url.host, port)
  }

  /// The space of decisions about the server.
  var space: ProtectionSpace {
    get throws(VaultError) {
      try ProtectionSpace(
        host: host, port: port, protocol: networkProtocol, realm: "",
        authenticationMethod: .serverTrust)
    }
  }

  var description: String { "\(networkProtocol.rawValue)://\(host.urlText):\(port)" }
}
