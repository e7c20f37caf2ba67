public import CVault
import CredentialVault
import SecureMemory
import VaultModel

/// Adds an item to a vault; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultAddInternetPassword(
  _ vault: VaultRef?, _ serverLength: UInt32, _ server: UnsafePointer<CChar>?,
  _ domainLength: UInt32, _ domain: UnsafePointer<CChar>?, _ accountLength: UInt32,
  _ account: UnsafePointer<CChar>?, _ pathLength: UInt32, _ path: UnsafePointer<CChar>?,
  _ port: UInt16, _ proto: VaultProtocolType, _ authenticationType: VaultAuthenticationType,
  _ passwordLength: UInt32, _ password: UnsafeRawPointer?,
  _ item: UnsafeMutablePointer<VaultItemRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The texts are the caller's, valid during the call.
    let key = try unsafe InternetPassword.Key(
      server: Input.optionalText(server, serverLength),
      domain: Input.optionalText(domain, domainLength),
      account: Input.optionalText(account, accountLength),
      path: Input.optionalText(path, pathLength), port: port, protocol: proto,
      authenticationType: authenticationType)
    let secret = try unsafe Input.secret(password, Int(passwordLength))
    let vault = try KeychainVaults.one(vault)
    let added = try vault.vault.add(InternetPassword(key: key, secret: secret), isAccepted: true)
    try added.requireKept()
    // Nothing fails any more. The place is the caller's, or NULL.
    unsafe item?.pointee = ItemHandle(added, in: vault).givenOut()
  }
}

extension InternetPassword {
  /// Creates a new item without a creator: `aapl`, which Apple writes, belongs to Apple.
  fileprivate init(key: Key, secret: Secret) {
    self.init(secret: secret)
    self.key = key
  }
}

extension StoreResult {
  /// Checks that the policy kept the item, at least for the session: success means that it can be
  /// found.
  ///
  /// Items stored in this way count as accepted by a server, because programs written for the
  /// keychain save a password after it has worked, and have no call to report that later.
  ///
  /// - Throws: ``VaultError/Code/policyRefused``.
  func requireKept() throws(VaultError) {
    guard item.persistence > .none else {
      throw VaultError(
        .policyRefused, "rule \"\(decision.rule?.name ?? "")\" lets no credential be kept here")
    }
  }
}
