import CVault

/// Returns a message for a status; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultCopyErrorMessageString(
  _ status: Int32, _ reserved: UnsafeMutableRawPointer?
) -> UnsafePointer<CChar>? {
  unsafe KeychainMessages.pointer(to: status)
}

/// The messages of the statuses.
///
/// The texts are constants, so counting their owners has no effect.
enum KeychainMessages {
  /// Returns a message as a C string that is never freed; nil for an unknown status.
  static func pointer(to status: Int32) -> UnsafePointer<CChar>? {
    guard let message = messages.first(where: { $0.status == Int(status) }) else { return nil }
    return unsafe pointer(message.text)
  }

  /// Returns whether an address is that of a message; it is not read.
  @safe static func contains(_ address: UnsafeRawPointer) -> Bool {
    // Only compared.
    messages.contains { unsafe UnsafeRawPointer(pointer($0.text)) == address }
  }

  private static func pointer(_ text: StaticString) -> UnsafePointer<CChar> {
    // A literal of more than one scalar is a pointer to NUL-terminated UTF-8 that lives as long as
    // the library.
    unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  private static let messages: [(status: Int, text: StaticString)] = [
    (errVaultSuccess, "It was done."),
    (errVaultUnimplemented, "Vaults do not do this."),
    (errVaultDiskFull, "The disk is full."),
    (errVaultIO, "Reading or writing the vault failed."),
    (errVaultParam, "An argument has no meaning."),
    (errVaultWrPerm, "A rule of the vault's policy does not let this be kept."),
    (errVaultAllocate, "There is not enough memory."),
    (errVaultUserCanceled, "It was interrupted."),
    (errVaultBadReq, "The vault's file or folder lets other users in."),
    (errVaultInternalComponent, "It cannot be known whether the change was written."),
    (errVaultNotAvailable, "The key file of the vault is missing."),
    (errVaultReadOnly, "The vault cannot be written."),
    (errVaultAuthFailed, "The passphrase or key is wrong."),
    (errVaultNoSuchKeychain, "There is no vault at this path."),
    (errVaultInvalidKeychain, "The vault is damaged, or was closed, or is no vault."),
    (errVaultDuplicateKeychain, "There is a vault at this path already."),
    (errVaultDuplicateCallback, "The function is called for events already."),
    (errVaultInvalidCallback, "The function is not called for events."),
    (errVaultDuplicateItem, "The vault has an item with this key already."),
    (errVaultItemNotFound, "The vault has no such item."),
    (errVaultBufferTooSmall, "The buffer is too small."),
    (errVaultDataTooLarge, "A value is longer than a vault keeps."),
    (errVaultNoSuchAttr, "Items of this class have no such attribute."),
    (errVaultInvalidItemRef, "This is no reference to an item."),
    (errVaultInvalidSearchRef, "This is no reference to a search."),
    (errVaultNoSuchClass, "Vaults have no items of this class."),
    (errVaultNoDefaultKeychain, "There is no default vault."),
    (errVaultInteractionNotAllowed, "The vault is locked."),
    (errVaultReadOnlyAttr, "The vault itself sets this attribute."),
    (errVaultWrongSecVersion, "The vault was written by a newer version."),
    (errVaultNoAccessForItem, "The item has no access control."),
    (errVaultDataNotAvailable, "The item has expired."),
    (errVaultInvalidPrefsDomain, "There is only the user's own domain."),
    (errVaultDecode, "The data cannot be understood."),
    (errVaultServiceNotAvailable, "Something that is needed cannot be reached."),
    (errVaultInternalError, "The library made a mistake."),
    (errVaultInvalidPointer, "A pointer is wrong."),
    (errVaultInvalidQuery, "The query names an attribute twice."),
    (errVaultInvalidValue, "A value has the wrong length, or is out of bounds."),
    (errVaultVerifyFailed, "The vault is older than it was, or another one, than when last seen."),
    (errVaultDatabaseLocked, "Another program used the vault for too long."),
    (errVaultMissingValue, "This attribute cannot be left out."),
  ]
}
