public import CVault
import CredentialVault
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
  unsafe giveOutOne(at: item) { () throws(VaultError) in
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
  unsafe giveOutOne(at: item) { () throws(VaultError) in
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
