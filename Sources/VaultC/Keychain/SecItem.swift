public import CVault
import CredentialVault
import KeychainServices
import VaultModel

/// Finds items; the contract is in `vault_secitem.h`, as for all of these.
@c @implementation
public func VaultSecItemCopyMatching(
  _ query: VaultCFDictionaryRef?, _ result: UnsafeMutablePointer<VaultCFTypeRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The dictionary is the caller's, and read before this returns. The place may be NULL.
    let found = try SecItem.searching.copyMatching(unsafe CFObjects.entries(of: query))
    try unsafe SecItem.give(found, at: result)
  }
}

/// Adds an item.
@c @implementation
public func VaultSecItemAdd(
  _ attributes: VaultCFDictionaryRef?, _ result: UnsafeMutablePointer<VaultCFTypeRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The dictionary is the caller's, and read before this returns. The place may be NULL.
    let added = try SecItem.adding.add(unsafe CFObjects.entries(of: attributes))
    try unsafe SecItem.give(added, at: result)
  }
}

/// Changes the items that match.
@c @implementation
public func VaultSecItemUpdate(
  _ query: VaultCFDictionaryRef?, _ changes: VaultCFDictionaryRef?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // Both dictionaries are the caller's, and read before this returns.
    try SecItem.searching.update(
      unsafe CFObjects.entries(of: query), unsafe CFObjects.entries(of: changes))
  }
}

/// Removes the items that match.
@c @implementation
public func VaultSecItemDelete(_ query: VaultCFDictionaryRef?) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The dictionary is the caller's, and read before this returns.
    try SecItem.searching.delete(unsafe CFObjects.entries(of: query))
  }
}

/// The functions over the vaults of this process.
private enum SecItem {
  /// Items are found in the search list.
  static let searching = KeychainItems(
    vaults: { () throws(VaultError) in try SearchList.vaults().map(\.vault) },
    others: { OpenVaults.all() })

  /// New items go to the default vault.
  static let adding = KeychainItems(
    vaults: { () throws(VaultError) in [try DefaultVault.open().vault] })

  /// Gives a result to the caller, who may not want it.
  static func give(
    _ value: KeychainValue?, at place: UnsafeMutablePointer<VaultCFTypeRef?>?
  ) throws(VaultError) {
    guard let value, let place = unsafe place else { return }
    unsafe place.pointee = try CFObjects.object(value)
  }
}
