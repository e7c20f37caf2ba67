public import CVault
import CredentialVault
import KeychainItems
import VaultModel

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Runs a function as one transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction(
  _ vault: OpaquePointer?, _ body: vault_transaction_body_t?, _ context: UnsafeMutableRawPointer?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    guard let body = unsafe body else { throw .missing }
    // The caller's function gets the caller's pointer.
    try unsafe TransactionHandle.run(in: handle) { unsafe body($0, context) }
  }
}

/// Finds the best match in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_find(
  _ transaction: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: item) { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let options = try Options(options, among: .finding)
    let found = try handle.transaction.find(
      ItemQuery(query, options), secrets: options.contains(.withSecrets))
    return ItemHandle(found, in: handle.vault)
  }
}

/// Finds the only best match in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_find_unique(
  _ transaction: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: item) { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let options = try Options(options, among: .finding)
    let found = try handle.transaction.findUnique(
      ItemQuery(query, options), secrets: options.contains(.withSecrets))
    return ItemHandle(found, in: handle.vault)
  }
}

/// Finds all matches in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_find_all(
  _ transaction: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ limit: Int, _ items: UnsafeMutablePointer<UnsafeMutablePointer<OpaquePointer?>?>?,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  unsafe giveOut(at: items, count) { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let options = try Options(options, among: .finding)
    let found = try handle.transaction.findAll(
      ItemQuery(query, options, limit: limit), secrets: options.contains(.withSecrets))
    return (found.map { ItemHandle.Content($0) }, handle.vault)
  }
}

/// Counts the matches in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_count(
  _ transaction: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let place = try unsafe required(count)
    let options = try Options(options, among: .finding)
    let number = try handle.transaction.count(ItemQuery(query, options))
    unsafe place.pointee = number
  }
}

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Adds an item in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_add(
  _ transaction: OpaquePointer?, _ attributes: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOutIfWanted(at: item) { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let new = try AttributesHandle.at(attributes).attributes.item()
    let options = try Options(options, among: .storing)
    let added = try handle.transaction.add(new, isAccepted: options.contains(.accepted))
    return (ItemHandle.Content(added), handle.vault)
  }
}

/// Adds an item in a transaction, or changes the one with the same key; the contract is in
/// `vault.h`.
@c @implementation
public func vault_transaction_upsert(
  _ transaction: OpaquePointer?, _ attributes: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOutIfWanted(at: item) { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let new = try AttributesHandle.at(attributes).attributes.item()
    let options = try Options(options, among: .storing)
    let stored = try handle.transaction.upsert(new, isAccepted: options.contains(.accepted))
    return (ItemHandle.Content(stored), handle.vault)
  }
}

/// Changes an item in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_modify(
  _ transaction: OpaquePointer?, _ item: OpaquePointer?, _ changes: OpaquePointer?,
  _ if_revision: UInt64, _ options: vault_options_t
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let item = try ItemHandle.at(item)
    let changes = try AttributesHandle.at(changes).attributes
    let options = try Options(options, among: .storing)
    try handle.change(item) { (content) throws(VaultError) in
      let modified = try handle.transaction.modify(
        content.item, changes.changes(of: content.item.key.itemClass),
        ifRevision: .known(if_revision), isAccepted: options.contains(.accepted))
      try modified.requireKept()
      content.became(modified)
    }
  }
}

/// Removes an item in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_remove(
  _ transaction: OpaquePointer?, _ item: OpaquePointer?, _ if_revision: UInt64
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let item = try ItemHandle.at(item)
    try handle.requireOwn(item)
    try handle.transaction.remove(item.item, ifRevision: .known(if_revision))
  }
}

/// Removes the only best match in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_remove_unique(
  _ transaction: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOutIfWanted(at: item) { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let removed = try handle.transaction.removeUnique(ItemQuery(removing: query, options))
    return (ItemHandle.Content(removed), handle.vault)
  }
}

/// Removes every match in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_remove_all(
  _ transaction: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let number = try handle.transaction.removeAll(ItemQuery(removing: query, options))
    if let place = unsafe count { unsafe place.pointee = number }
  }
}
