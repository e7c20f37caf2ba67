import CVault
import KeychainItems
import VaultModel

extension InternetPassword.Key {
  /// Creates the key from the parameters of finding and adding; empty and 0 are unset.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the server is not a host: it is made
  ///   canonical here as everywhere.
  init(
    server: String, domain: String, account: String, path: String, port: UInt16,
    protocol: VaultProtocolType, authenticationType: VaultAuthenticationType
  ) throws(VaultError) {
    self.init(
      account: account, realm: domain, server: try HostName(server),
      protocol: NetworkProtocol(keychainCode: `protocol`),
      authenticationMethod: AuthenticationMethod(keychainType: authenticationType), port: port,
      path: path)
  }
}

extension Input {
  /// Copies a text; NULL gives an empty one, with any length.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if no item can have it: NUL, or anything but
  ///   UTF-8.
  static func optionalText(
    _ bytes: UnsafePointer<CChar>?, _ length: UInt32
  ) throws(VaultError) -> String {
    guard unsafe bytes != nil else { return "" }
    // The caller says that it is so long.
    return try unsafe text(bytes, Int(length))
  }
}
