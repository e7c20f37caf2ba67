package import VaultModel

extension RememberedTime {
  /// Returns how long the user wants the key of a passphrase that is typed to be remembered, by
  /// `VAULTCTL_REMEMBER`, else the configuration; nil for not at all.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a variable that means nothing; as
  ///   ``VaultConfiguration/read()``.
  package static func configured() throws(VaultError) -> RememberedTime? {
    guard let text = Environment.value("VAULTCTL_REMEMBER") else {
      return try VaultConfiguration.read()?.remembers
    }
    do throws(VaultError) {
      return try setting(text)
    } catch {
      throw VaultError(error.code, "VAULTCTL_REMEMBER: \(error.context)")
    }
  }
}
