public import FoundationNetworking
public import VaultModel

extension URLProtectionSpace {
  /// Converts a space to Foundation's form; ``VaultModel/ProtectionSpace/init(_:)`` converts it
  /// back.
  ///
  /// The protocol is a URL's scheme, as in URLSession; an unset protocol and an empty realm become
  /// nil. Values for which Foundation has no constant keep our own name.
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
