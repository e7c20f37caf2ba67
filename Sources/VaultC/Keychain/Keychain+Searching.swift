public import CVault
import CredentialVault
import KeychainServices
import SecureMemory
import VaultModel

/// Begins a search; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultSearchCreateFromAttributes(
  _ vaults: VaultOrListRef?, _ itemClass: VaultItemClass,
  _ attributes: UnsafePointer<VaultAttributeList>?, _ search: UnsafeMutablePointer<VaultSearchRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(search)
    let itemClass = try ItemClass(keychain: itemClass)
    // The list is the caller's, valid during the call.
    let query = try KeychainQuery(
      unsafe KeychainAttribute.all(in: attributes, of: itemClass), of: itemClass)
    let found = try SearchHandle(query, in: KeychainVaults.all(vaults))
    unsafe place.pointee = found.givenOut()
  }
}

/// Gives the next item of a search; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultSearchCopyNext(
  _ search: VaultSearchRef?, _ item: UnsafeMutablePointer<VaultItemRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(item)
    // The reference is only taken apart.
    guard let handle = SearchHandle.find(unsafe UnsafeRawPointer(search)) else {
      throw VaultError(.invalidSearchReference, "no search, or one that was released")
    }
    unsafe place.pointee = try handle.next().givenOut()
  }
}

/// A search: the items that matched when it was created, returned one after the other.
///
/// It holds no attributes: each item is returned with its current ones.
final class SearchHandle: Handle, @unchecked Sendable {
  private struct Match {
    let id: ItemID
    let key: Item.Key
    let vault: VaultHandle
  }

  /// The matches that were not returned yet, in reverse order.
  private let remaining: Lock<[Match]>

  init(_ query: KeychainQuery, in vaults: [VaultHandle]) throws(VaultError) {
    var matches: [Match] = []
    for vault in vaults {
      for item in try vault.vault.findAll(query.query) where query.accepts(item) {
        matches.append(Match(id: item.id, key: item.key, vault: vault))
      }
    }
    remaining = Lock(matches.reversed())
  }

  /// Returns the next item that still exists.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` after the last; the errors of reading the vault,
  ///   after which the search continues at the same item.
  func next() throws(VaultError) -> ItemHandle {
    try remaining.withLock { (remaining) throws(VaultError) in
      while let match = remaining.last {
        do throws(VaultError) {
          let item = try match.vault.vault.item(match.id, hint: match.key)
          remaining.removeLast()
          return ItemHandle(item, in: match.vault)
        } catch {
          guard error.code == .itemNotFound else { throw error }
          remaining.removeLast()
        }
      }
      throw VaultError(.itemNotFound, "the search is at its end")
    }
  }
}

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
