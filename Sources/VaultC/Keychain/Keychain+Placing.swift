public import CVault
import CredentialVault
import KeychainServices
import VaultModel

/// Returns the vault of an item; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemCopyVault(
  _ item: VaultItemRef?, _ vault: UnsafeMutablePointer<VaultRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let handle = try ItemHandle.ofKeychain(item)
    let place = try unsafe required(vault)
    unsafe place.pointee = handle.vault.reference()
  }
}

/// Copies an item with its dates into a vault; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemCreateCopy(
  _ item: VaultItemRef?, _ vault: VaultRef?, _ access: VaultAccessRef?,
  _ copy: UnsafeMutablePointer<VaultItemRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let handle = try ItemHandle.ofKeychain(item)
    let asksEachTime = try Keychain.asksEachTime(access)
    let target = try KeychainVaults.one(vault)
    let known = handle.item
    var source = try handle.vault.vault.item(
      known.id, hint: known.key, withSecrets: true)
    guard source.secret != nil else { throw VaultError(.expired, "the item has expired") }
    if asksEachTime == true { source.asksEachTime = true }
    let added = try target.vault.addCopy(of: source)
    // The place is the caller's, or NULL.
    unsafe copy?.pointee = ItemHandle(added, in: target).givenOut()
  }
}

/// Returns bytes that name an item in every process; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemCreatePersistentReference(
  _ item: VaultItemRef?, _ reference: UnsafeMutablePointer<VaultCFDataRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let known = try ItemHandle.ofKeychain(item).item
    let place = try unsafe required(reference)
    let persistent = PersistentReference(known.key.itemClass, known.id)
    unsafe place.pointee = try CFObjects.data(persistent.bytes)
  }
}

/// Finds the item that such bytes name; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemCopyFromPersistentReference(
  _ reference: VaultCFDataRef?, _ item: UnsafeMutablePointer<VaultItemRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The data is the caller's, and read before this returns.
    guard let bytes = unsafe CFObjects.bytes(of: reference) else {
      throw VaultError(.invalidArgument, "a persistent reference is data")
    }
    let place = try unsafe required(item)
    let persistent = try PersistentReference(bytes)
    let found = try Keychain.item(persistent)
    unsafe place.pointee = ItemHandle(found.item, in: VaultHandle(found.vault)).givenOut()
  }
}

extension Keychain {
  /// Returns an item and its vault, from the search list and then the other open vaults.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; the first error of a vault that cannot be
  ///   searched, if no other one has the item.
  fileprivate static func item(
    _ reference: PersistentReference
  ) throws(VaultError) -> (item: Item, vault: Vault) {
    let listed = try SearchList.vaults().map(\.vault)
    let others = OpenVaults.all().filter { other in !listed.contains { $0 === other } }
    var failure = VaultError(.itemNotFound, "no open vault has the item")
    for vault in listed + others {
      do throws(VaultError) {
        let item = try vault.item(reference.id)
        if item.key.itemClass == reference.itemClass { return (item, vault) }
      } catch {
        if failure.code == .itemNotFound, error.code != .closed { failure = error }
      }
    }
    throw failure
  }
}
