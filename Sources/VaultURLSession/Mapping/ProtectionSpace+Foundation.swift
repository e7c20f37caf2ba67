public import FoundationNetworking
public import VaultModel

extension ProtectionSpace {
  /// Converts Foundation's space, in any spelling.
  ///
  /// Two objects with the same contents give equal values; Foundation's objects compare by identity
  /// on Linux.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` and
  ///   ``VaultModel/VaultError/Code/tooLarge`` if the host, port, protocol, realm or method is
  ///   invalid.
  public init(_ space: URLProtectionSpace) throws(VaultError) {
    let method = try AuthenticationMethod(space.authenticationMethod)
    let realm = space.realm ?? ""
    if let type = space.proxyType {
      try self.init(
        proxyHost: space.host, port: space.port, type: NetworkProtocol(type), realm: realm,
        authenticationMethod: method)
    } else {
      try self.init(
        host: space.host, port: space.port, protocol: NetworkProtocol(space.protocol ?? ""),
        realm: realm, authenticationMethod: method)
    }
  }
}
