import CredentialVault
import KeychainServices
public import SecurityConstants
import VaultModel

/// Returns what a query asks for of the passwords that match.
///
/// The passwords are those of the user's vault, as `vaultctl` finds it.
///
/// - Parameters:
///   - query: The class, conditions, and what to return; `Documentation/keychain-swift.md` has all
///     keys.
///   - result: The place for the result: `Data`, a dictionary, a reference, or an array of them. It
///     is written only on success. Nil is enough to learn whether an item matches.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, `errSecParam` for a wrong dictionary,
///   `errSecInteractionNotAllowed` if the vault is locked, or another status.
@discardableResult
public func SecItemCopyMatching(
  _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
  // The place is the caller's, or nil.
  unsafe status(result) { () throws(VaultError) in
    try KeychainItems.standard.copyMatching(query.keychainValues())
  }
}

/// Adds a password.
///
/// - Parameters:
///   - attributes: The class, attributes and secret, and what to return.
///   - result: The place for what the attributes ask for; nil for none.
/// - Returns: `errSecSuccess`, `errSecDuplicateItem`, `errSecParam` for a wrong dictionary, or
///   another status.
@discardableResult
public func SecItemAdd(
  _ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
  // The place is the caller's, or nil.
  unsafe status(result) { () throws(VaultError) in
    try KeychainItems.standard.add(attributes.keychainValues())
  }
}

/// Changes all passwords that match, or none if one change fails.
///
/// - Parameters:
///   - query: The class and conditions.
///   - attributesToUpdate: The attributes to change, and the new secret; others are kept.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, `errSecDuplicateItem` if another password has
///   the new key, or another status.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
  status(nil) { () throws(VaultError) in
    try KeychainItems.standard.update(query.keychainValues(), attributesToUpdate.keychainValues())
    return nil
  }
}

/// Removes all passwords that match, with their previous secrets; the vault keeps nothing of them
/// unless it is set to.
///
/// - Parameter query: The class and conditions.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, or another status.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
  status(nil) { () throws(VaultError) in
    try KeychainItems.standard.delete(query.keychainValues())
    return nil
  }
}

/// Returns a sentence that says what a status means.
///
/// - Parameters:
///   - status: The status.
///   - reserved: Not used.
/// - Returns: The sentence, in English; nil for an unknown status.
public func SecCopyErrorMessageString(
  _ status: OSStatus, _ reserved: UnsafeMutableRawPointer?
) -> CFString? {
  KeychainStatus.message(of: status)?.description
}

/// Runs a function, and gives its result or its status.
private func status(
  _ place: UnsafeMutablePointer<CFTypeRef?>?,
  _ body: () throws(VaultError) -> KeychainValue?
) -> OSStatus {
  do throws(VaultError) {
    let result = try body()
    // The place is the caller's, or nil. In a program with Foundation the object is the bridged
    // one, such as `NSData`.
    unsafe place?.pointee = result.map { $0.value as AnyObject }
    return errSecSuccess
  } catch {
    return error.keychainStatus
  }
}
