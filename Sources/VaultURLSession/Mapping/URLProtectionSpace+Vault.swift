public import FoundationNetworking
public import VaultModel

extension URLProtectionSpace {
  /// Says of a space what Foundation would; ``VaultModel/ProtectionSpace/init(_:)`` gives the same space back.
  ///
  /// The protocol is a URL's scheme, as URLSession has it; an unset one, and an empty realm, are nil. What Foundation has
  /// no constant for has our own name.
  public convenience init(_ space: ProtectionSpace) {
    let realm = space.realm.isEmpty ? nil : space.realm
    let method = FoundationNames.constant(for: space.authenticationMethod)
    if space.isProxy {
      self.init(
        proxyHost: space.host.name, port: Int(space.port),
        type: FoundationNames.constant(for: space.protocol), realm: realm,
        authenticationMethod: method)
    } else {
      self.init(
        host: space.host.name, port: Int(space.port),
        protocol: space.protocol == .unset ? nil : space.protocol.rawValue, realm: realm,
        authenticationMethod: method)
    }
  }
}
