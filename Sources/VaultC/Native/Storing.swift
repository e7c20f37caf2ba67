public import CVault
import CredentialVault
import KeychainItems
import VaultModel

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Adds an item; the contract is in `vault.h`.
@c @implementation
public func vault_add(
  _ vault: OpaquePointer?, _ attributes: OpaquePointer?, _ persistence: vault_persistence_t,
  _ options: vault_options_t, _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe store(vault, attributes, options, item) { (vault, new, isAccepted) throws(VaultError) in
    try vault.add(new, persistence: Persistence(persistence), isAccepted: isAccepted)
  }
}

/// Adds an item, or changes the one with the same key; the contract is in `vault.h`.
@c @implementation
public func vault_upsert(
  _ vault: OpaquePointer?, _ attributes: OpaquePointer?, _ persistence: vault_persistence_t,
  _ options: vault_options_t, _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe store(vault, attributes, options, item) { (vault, new, isAccepted) throws(VaultError) in
    try vault.upsert(new, persistence: Persistence(persistence), isAccepted: isAccepted)
  }
}

private func store(
  _ vault: OpaquePointer?, _ attributes: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?,
  _ store: (Vault, InternetPassword, _ isAccepted: Bool) throws(VaultError) -> StoreResult
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let stored = try store(
      handle.vault, AttributesHandle.at(attributes).attributes.item(),
      Options(options, among: .storing).contains(.accepted))
    // A place that the caller may give is written only once there is a handle.
    if let place = unsafe item {
      unsafe place.pointee = ItemHandle(stored, in: handle).givenOut()
    }
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
    let changes = try AttributesHandle.at(changes).attributes.changes()
    let options = try Options(options, among: .storing)
    try handle.change { (content) throws(VaultError) in
      let modified = try handle.vault.vault.modify(
        content.item, changes, ifRevision: if_revision == 0 ? nil : if_revision,
        isAccepted: options.contains(.accepted))
      try modified.requireKept()
      content.became(modified)
    }
  }
}

/// Removes an item; the contract is in `vault.h`.
@c @implementation
public func vault_remove(_ item: OpaquePointer?, _ if_revision: UInt64) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    try handle.vault.vault.remove(
      handle.item, ifRevision: if_revision == 0 ? nil : if_revision)
  }
}

/// Removes every match; the contract is in `vault.h`.
@c @implementation
public func vault_remove_all(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    guard try AttributesHandle.at(query).attributes.isQuery else {
      throw VaultError(.invalidArgument, "nothing is named of what is to be deleted")
    }
    let options = try Options(options, among: .finding)
    let number = try handle.vault.removeAll(ItemQuery(query, options))
    if let place = unsafe count { unsafe place.pointee = number }
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
