public import CVault
import CredentialVault
import KeychainServices
import VaultModel

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Adds an item; the contract is in `vault.h`.
@c @implementation
public func vault_add(
  _ vault: OpaquePointer?, _ attributes: OpaquePointer?, _ persistence: vault_persistence_t,
  _ options: vault_options_t, _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOutIfWanted(at: item, in: vault) { (verbs) throws(VaultError) in
    let new = try AttributesHandle.at(attributes).attributes.item()
    let options = try Options(options, among: .storing)
    let added = try verbs.add(
      new, persistence: Persistence(persistence), afterAcceptance: options.contains(.accepted))
    return ItemHandle.Content(added)
  }
}

/// Adds an item, or changes the one with the same key; the contract is in `vault.h`.
@c @implementation
public func vault_upsert(
  _ vault: OpaquePointer?, _ attributes: OpaquePointer?, _ persistence: vault_persistence_t,
  _ options: vault_options_t, _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOutIfWanted(at: item, in: vault) { (verbs) throws(VaultError) in
    let new = try AttributesHandle.at(attributes).attributes.item()
    let options = try Options(options, among: .storing)
    let stored = try verbs.upsert(
      new, persistence: Persistence(persistence), afterAcceptance: options.contains(.accepted))
    return ItemHandle.Content(stored)
  }
}

/// Changes an item; the contract is in `vault.h`.
@c @implementation
public func vault_modify(
  _ item: OpaquePointer?, _ changes: OpaquePointer?, _ if_revision: UInt64,
  _ options: vault_options_t
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let changes = try AttributesHandle.at(changes).attributes
    let options = try Options(options, among: .storing)
    try handle.changeInScope { (content, verbs) throws(VaultError) in
      let modified = try verbs.modify(
        content.item, changes.changes(of: content.item.key.itemClass),
        ifRevision: .known(if_revision), afterAcceptance: options.contains(.accepted),
        removal: .recoverable)
      try modified.requireKept()
      content.became(modified)
    }
  }
}

/// Writes a pending item; the contract is in `vault.h`.
@c @implementation
public func vault_confirm(_ item: OpaquePointer?) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    try handle.change { (content) throws(VaultError) in
      content.became(try handle.vault.vault.pending.confirm(content.waiting()))
    }
  }
}

/// Drops a pending item; the contract is in `vault.h`.
@c @implementation
public func vault_reject(_ item: OpaquePointer?) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    try handle.change { (content) throws(VaultError) in
      try handle.vault.vault.pending.reject(content.waiting())
      content.wasRejected()
    }
  }
}

extension ItemHandle.Content {
  /// Returns the pending credential to confirm or reject.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if there is none.
  fileprivate func waiting() throws(VaultError) -> PendingCredential {
    guard let pending else { throw VaultError(.itemNotFound, "the item is not pending") }
    return pending
  }
}

/// Removes an item; the contract is in `vault.h`.
@c @implementation
public func vault_remove(_ item: OpaquePointer?, _ if_revision: UInt64) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    try handle.scope.perform { (verbs) throws(VaultError) in
      try verbs.remove(handle.item, ifRevision: .known(if_revision), removal: .recoverable)
    }
  }
}

/// Removes the only best match; the contract is in `vault.h`.
@c @implementation
public func vault_remove_unique(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOutIfWanted(at: item, in: vault) { (verbs) throws(VaultError) in
    let query = try ItemQuery(removing: query, options)
    return ItemHandle.Content(try verbs.removeUnique(query, removal: .recoverable))
  }
}

/// Removes every match; the contract is in `vault.h`.
@c @implementation
public func vault_remove_all(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  status(in: vault) { (verbs) throws(VaultError) in
    let number = try verbs.removeAll(ItemQuery(removing: query, options), removal: .recoverable)
    if let place = unsafe count { unsafe place.pointee = number }
  }
}

extension UInt64? {
  /// Returns the revision that an item must have; 0 in C means any.
  static func known(_ revision: UInt64) -> UInt64? { revision == 0 ? nil : revision }
}
