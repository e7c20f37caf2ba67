import VaultModel

extension ProtectionSpace {
  /// The space, and the space of the same server without a realm, which stands for all realms.
  ///
  /// Credentials stored without a realm, as people and imports do, rank below those with the
  /// challenge's realm.
  var andWithoutRealm: [ProtectionSpace] {
    get throws(VaultError) {
      guard !realm.isEmpty else { return [self] }
      return [
        self,
        try ProtectionSpace(
          host: host, port: port, protocol: `protocol`, realm: "",
          authenticationMethod: authenticationMethod),
      ]
    }
  }
}
