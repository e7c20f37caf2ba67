public import CVault
import CredentialVault
import Glibc
import KeychainServices
import SecureMemory
import VaultModel

/// Copies the attributes in a list, and the secret; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemCopyContent(
  _ item: VaultItemRef?, _ itemClass: UnsafeMutablePointer<VaultItemClass>?,
  _ attributes: UnsafeMutablePointer<VaultAttributeList>?,
  _ length: UnsafeMutablePointer<UInt32>?, _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The list is the caller's, with `count` attributes at `attr`.
    let array = unsafe attributes?.pointee.attr
    let tags = try unsafe Keychain.tags(attributes?.pointee.count ?? 0, at: array) { unsafe $0.tag }
    let copies = try unsafe Keychain.copies(of: item, tags, secret: length != nil || data != nil)
    // Nothing fails any more.
    unsafe copies.giveAttributes(array)
    unsafe Keychain.give(copies, itemClass, length, data)
  }
}

/// Copies the attributes of tags into a new list, and the secret; the contract is in
/// `vault_keychain.h`.
@c @implementation
public func VaultItemCopyAttributesAndData(
  _ item: VaultItemRef?, _ info: UnsafePointer<VaultAttributeInfo>?,
  _ itemClass: UnsafeMutablePointer<VaultItemClass>?,
  _ attributes: UnsafeMutablePointer<UnsafeMutablePointer<VaultAttributeList>?>?,
  _ length: UnsafeMutablePointer<UInt32>?, _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The tags are the caller's, `count` of them.
    let tags = try unsafe Keychain.tags(info?.pointee.count ?? 0, at: info?.pointee.tag) { $0 }
    let copies = try unsafe Keychain.copies(of: item, tags, secret: length != nil || data != nil)
    if unsafe info != nil, let attributes = unsafe attributes {
      try unsafe copies.giveList(attributes)
    }
    // Nothing fails any more.
    unsafe Keychain.give(copies, itemClass, length, data)
  }
}

/// Wipes and frees a secret, and the values in a list; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemFreeContent(
  _ attributes: UnsafeMutablePointer<VaultAttributeList>?, _ data: UnsafeMutableRawPointer?
) -> Int32 {
  // The caller gives up what it was given: blocks of ``Buffer``, or NULL.
  unsafe wipeAndFree(data)
  guard let list = unsafe attributes?.pointee, let array = unsafe list.attr else {
    return Int32(errVaultSuccess)
  }
  for index in 0..<(unsafe Int(list.count)) {
    unsafe wipeAndFree(array[index].data)
    unsafe array[index].data = nil
  }
  return Int32(errVaultSuccess)
}

/// Wipes and frees a secret, and a list with its values; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemFreeAttributesAndData(
  _ attributes: UnsafeMutablePointer<VaultAttributeList>?, _ data: UnsafeMutableRawPointer?
) -> Int32 {
  // The caller gives up a list that ``KeychainCopies`` made: two blocks, and what its attributes
  // hold.
  _ = unsafe VaultItemFreeContent(attributes, data)
  unsafe free(attributes?.pointee.attr)
  unsafe free(attributes)
  return Int32(errVaultSuccess)
}

extension Keychain {
  /// Returns copies of an item's current attributes, and of its secret if it is wanted.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it was deleted; if the secret is wanted, the
  ///   errors of ``VaultModel/Item/requireUnattended()``, and ``VaultError/Code/expired``.
  fileprivate static func copies(
    of item: VaultItemRef?, _ tags: [VaultItemAttr], secret: Bool
  ) throws(VaultError) -> KeychainCopies {
    let handle = try ItemHandle.ofKeychain(item)
    let known = handle.item
    let item = try handle.vault.vault.item(
      known.id, hint: known.key, withSecrets: secret)
    let copies = try KeychainCopies(of: item, tags: tags)
    guard secret else { return copies }
    try item.requireUnattended()
    try copies.add(item.requireSecret())
    return copies
  }

  /// Checks the number of attributes in a list, before anything of it is read.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument``; no class has nearly as many.
  static func checkCount(_ count: UInt32) throws(VaultError) {
    guard count <= 1024 else {
      throw VaultError(.invalidArgument, "a list of more than 1024 attributes")
    }
  }

  /// Returns the tags of an array that is the caller's.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is NULL and not empty.
  fileprivate static func tags<Element>(
    _ count: UInt32, at array: UnsafeMutablePointer<Element>?, _ tag: (Element) -> VaultItemAttr
  ) throws(VaultError) -> [VaultItemAttr] {
    guard count > 0 else { return [] }
    try checkCount(count)
    guard let array = unsafe array else {
      throw VaultError(.invalidArgument, "a list without its attributes")
    }
    // The caller says that there are `count` elements.
    return unsafe UnsafeBufferPointer(start: array, count: Int(count)).map(tag)
  }

  fileprivate static func give(
    _ copies: KeychainCopies, _ itemClass: UnsafeMutablePointer<VaultItemClass>?,
    _ length: UnsafeMutablePointer<UInt32>?,
    _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) {
    // Each place is the caller's, or NULL.
    unsafe itemClass?.pointee = copies.itemClass.keychainClass
    unsafe copies.giveSecret(length: length, bytes: data)
  }
}
