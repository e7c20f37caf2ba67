public import CVault
import CredentialVault
import KeychainServices
import SecureMemory
import VaultModel

/// Finds the first item that matches, and its secret; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultFindInternetPassword(
  _ vaults: UnsafeRawPointer?, _ serverLength: UInt32, _ server: UnsafePointer<CChar>?,
  _ domainLength: UInt32, _ domain: UnsafePointer<CChar>?, _ accountLength: UInt32,
  _ account: UnsafePointer<CChar>?, _ pathLength: UInt32, _ path: UnsafePointer<CChar>?,
  _ port: UInt16, _ proto: VaultProtocolType, _ authenticationType: VaultAuthenticationType,
  _ passwordLength: UnsafeMutablePointer<UInt32>?,
  _ password: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ item: UnsafeMutablePointer<VaultItemRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The texts are the caller's, valid during the call; the path has its length, where Apple's
    // finding reads up to a NUL.
    let key = try unsafe Item.Key(
      server: Input.optionalText(server, serverLength),
      domain: Input.optionalText(domain, domainLength),
      account: Input.optionalText(account, accountLength),
      path: Input.optionalText(path, pathLength), port: port, protocol: proto,
      authenticationType: authenticationType)
    try unsafe Keychain.find(
      ItemQuery(wildcards: key), in: vaults, bytes: password, length: passwordLength, item: item)
  }
}

/// Finds the first generic password that matches, and its secret; the contract is in
/// `vault_keychain.h`.
@c @implementation
public func VaultFindGenericPassword(
  _ vaults: UnsafeRawPointer?, _ serviceLength: UInt32, _ service: UnsafePointer<CChar>?,
  _ accountLength: UInt32, _ account: UnsafePointer<CChar>?,
  _ passwordLength: UnsafeMutablePointer<UInt32>?,
  _ password: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ item: UnsafeMutablePointer<VaultItemRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The texts are the caller's, valid during the call.
    let key = try unsafe Item.Key(
      service: Input.optionalText(service, serviceLength),
      account: Input.optionalText(account, accountLength))
    try unsafe Keychain.find(
      ItemQuery(wildcards: key), in: vaults, bytes: password, length: passwordLength, item: item)
  }
}

/// The shared parts of the functions of the keychain's interface.
enum Keychain {
  /// Finds the first item, and gives it and its secret to the caller, who may want only a part.
  fileprivate static func find(
    _ query: ItemQuery, in vaults: UnsafeRawPointer?,
    bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, length: UnsafeMutablePointer<UInt32>?,
    item: UnsafeMutablePointer<VaultItemRef?>?
  ) throws(VaultError) {
    let wantsSecret = unsafe bytes != nil || length != nil
    let found = try first(query, in: KeychainVaults.all(vaults), secret: wantsSecret)
    if wantsSecret {
      try found.item.requireUnattended()
      try unsafe giveOut(found.item.secret, length: length, bytes: bytes)
    }
    // Nothing fails any more. The place is the caller's, or NULL.
    unsafe item?.pointee = ItemHandle(found.item, in: found.vault).givenOut()
  }

  /// Returns the first item that matches, from the first vault that has one.
  ///
  /// If a vault cannot be searched, because it is locked or damaged, the search ends with an error
  /// when it reaches it: it might hide the item of a later vault. Apple skips such a keychain.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - vaults: The vaults, in search order.
  ///   - secret: Whether the secret is wanted. An expired item has none, so it is found only
  ///     without it: to be changed or deleted.
  /// - Returns: The item, and its vault.
  /// - Throws: ``VaultError/Code/itemNotFound``, ``VaultError/Code/locked``,
  ///   ``VaultError/Code/damaged``.
  static func first(
    _ query: ItemQuery, in vaults: [VaultHandle], secret: Bool
  ) throws(VaultError) -> (item: Item, vault: VaultHandle) {
    for vault in vaults {
      do throws(VaultError) {
        return (try vault.vault.find(query, withSecrets: secret), vault)
      } catch {
        switch error.code {
        case .itemNotFound: continue
        case .expired:
          guard !secret, let expired = error.candidates.first else { continue }
          return (expired, vault)
        default: throw error
        }
      }
    }
    throw VaultError(.itemNotFound, "no item matches")
  }

  /// Gives a copy of a secret to the caller; an empty one is not NULL either.
  ///
  /// - Throws: ``VaultError/Code/expired`` without a secret, which the vault then withholds;
  ///   ``VaultError/Code/outOfMemory``. Nothing is given out in these cases.
  static func giveOut(
    _ secret: Secret?, length: UnsafeMutablePointer<UInt32>?,
    bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) throws(VaultError) {
    guard let secret else { throw VaultError(.expired, "the item has expired") }
    // Both places are the caller's, or NULL; the copy is the caller's from here on.
    if let bytes = unsafe bytes { unsafe bytes.pointee = try Buffer.copy(secret) }
    unsafe length?.pointee = UInt32(secret.count)
  }
}
