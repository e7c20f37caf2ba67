extension InternetPassword.Key {
  /// The space that an item with this key answers; nil without a server.
  package var space: ProtectionSpace? {
    do throws(VaultError) {
      return try ProtectionSpace(
        host: server, port: port, protocol: `protocol`, realm: realm,
        authenticationMethod: authenticationMethod)
    } catch {
      return nil
    }
  }
}

extension InternetPassword {
  /// The space that the item answers; nil without a server.
  package var space: ProtectionSpace? { key.space }
}
