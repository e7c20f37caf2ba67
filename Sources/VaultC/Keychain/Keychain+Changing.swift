public import CVault
import CredentialVault
import KeychainServices
import VaultModel

/// Changes an item; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemModifyContent(
  _ item: VaultItemRef?, _ attributes: UnsafePointer<VaultAttributeList>?, _ length: UInt32,
  _ data: UnsafeRawPointer?
) -> Int32 {
  // The list and the data are the caller's, valid during the call.
  unsafe Keychain.modify(item, attributes, emptyNumber: .isInvalid, data: data, length: length)
}

/// Changes an item, with numbers that can be unset; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemModifyAttributesAndData(
  _ item: VaultItemRef?, _ attributes: UnsafePointer<VaultAttributeList>?, _ length: UInt32,
  _ data: UnsafeRawPointer?
) -> Int32 {
  // The list and the data are the caller's, valid during the call.
  unsafe Keychain.modify(item, attributes, emptyNumber: .unsets, data: data, length: length)
}

/// Removes an item; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemDelete(_ item: VaultItemRef?) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let handle = try ItemHandle.ofKeychain(item)
    try handle.vault.vault.remove(handle.item, removal: .ofProgram)
  }
}

extension Keychain {
  /// Applies all changes at once, or none; changes without an effect write nothing.
  fileprivate static func modify(
    _ item: VaultItemRef?, _ list: UnsafePointer<VaultAttributeList>?, emptyNumber: EmptyNumber,
    data: UnsafeRawPointer?, length: UInt32
  ) -> Int32 {
    keychainStatus { () throws(VaultError) in
      let handle = try ItemHandle.ofKeychain(item)
      var changes: [ItemChange] = []
      let itemClass = handle.item.key.itemClass
      for attribute in try unsafe KeychainAttribute.all(in: list, of: itemClass) {
        if let change = try attribute.change(emptyNumber) { changes.append(change) }
      }
      if let data = unsafe data {
        changes.append(.secret(try unsafe Input.secret(data, Int(length))))
        changes.append(.custom(KeychainKey.noSecretMark, nil))
      }
      try handle.change { [changes] (content) throws(VaultError) in
        let modified = try handle.vault.vault.renew(
          content.item, changes, afterAcceptance: true, removal: .ofProgram)
        try modified.requireKept()
        content = ItemHandle.Content(modified)
      }
    }
  }
}

extension ItemHandle {
  /// Returns the item of a reference in the keychain's interface.
  ///
  /// - Throws: ``VaultError/Code/invalidItemReference`` if it is none, as for NULL.
  @safe static func ofKeychain(_ reference: VaultItemRef?) throws(VaultError) -> ItemHandle {
    // The reference is only taken apart.
    guard let handle = find(unsafe UnsafeRawPointer(reference)) else {
      throw VaultError(.invalidItemReference, "no item, or one that was released")
    }
    return handle
  }
}
