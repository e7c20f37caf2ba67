public import CVault

/// Adds an owner of an item; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemRetain(_ item: VaultItemRef?) -> VaultItemRef? {
  // The reference is only taken apart.
  guard let handle = ItemHandle.find(unsafe UnsafeRawPointer(item)), handle.retain() else {
    return nil
  }
  return unsafe item
}

/// Removes an owner of an item; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemRelease(_ item: VaultItemRef?) {
  // The reference is only taken apart.
  ItemHandle.find(unsafe UnsafeRawPointer(item))?.release()
}

/// Adds an owner of any object; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultRetain(_ object: UnsafeRawPointer?) -> UnsafeRawPointer? {
  guard let object = unsafe object else { return nil }
  if KeychainMessages.contains(object) { return unsafe object }
  guard let handle = Handle.any(object), handle.retain() else { return nil }
  return unsafe object
}

/// Removes an owner of any object; the contract is in `vault_keychain.h`.
///
/// A vault is closed when it has no owners, items, lists and searches left.
@c @implementation
public func VaultRelease(_ object: UnsafeRawPointer?) {
  Handle.any(object)?.release()
}
