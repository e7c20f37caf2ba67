import VaultModel

extension ProtectionSpace {
  /// The space, and the one of the same server that names no realm and so stands for all of them.
  ///
  /// What was stored without a realm, as people and imports do, answers below what names the challenge's.
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
