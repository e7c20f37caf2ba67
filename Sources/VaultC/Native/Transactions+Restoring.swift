public import CVault
import CredentialVault
import KeychainItems
import VaultModel

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Lists the previous secrets of an item in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_copy_history(
  _ transaction: OpaquePointer?, _ item: OpaquePointer?,
  _ history: UnsafeMutablePointer<UnsafeMutablePointer<vault_previous_secret_t>?>?,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let item = try ItemHandle.at(item)
    let place = try unsafe required(history)
    let countPlace = try unsafe required(count)
    try handle.requireOwn(item)
    let entries = try handle.transaction.history(of: item.item)
    unsafe place.pointee = try GivenArray.of(entries) { vault_previous_secret_t($0) }
    unsafe countPlace.pointee = entries.count
  }
}

/// Copies a previous secret in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_copy_previous_secret(
  _ transaction: OpaquePointer?, _ item: OpaquePointer?, _ replaced: UInt64,
  _ secret: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let item = try ItemHandle.at(item)
    let place = try unsafe required(secret)
    try handle.requireOwn(item)
    let previous = try handle.previous(replaced, of: item.item)
    let opened = try handle.transaction.previousSecret(previous, of: item.item)
    unsafe place.pointee = try opened.copied()
  }
}

/// Restores a previous secret in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_revert(
  _ transaction: OpaquePointer?, _ item: OpaquePointer?, _ replaced: UInt64,
  _ if_revision: UInt64, _ options: vault_options_t
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let item = try ItemHandle.at(item)
    let options = try Options(options, among: .storing)
    try handle.change(item) { (content) throws(VaultError) in
      let previous = replaced == 0 ? nil : try handle.previous(replaced, of: content.item)
      let reverted = try handle.transaction.revert(
        content.item, to: previous, ifRevision: .known(if_revision),
        isAccepted: options.contains(.accepted))
      try reverted.requireKept()
      content.became(reverted)
    }
  }
}

/// Lists the items of the trash in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_trash_list(
  _ transaction: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ limit: Int, _ items: UnsafeMutablePointer<UnsafeMutablePointer<OpaquePointer?>?>?,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  unsafe giveOut(at: items, count) { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let options = try Options(options, among: .findingRemoved)
    let removed = try handle.transaction.trash(ItemQuery(query, options, limit: limit))
    return (removed.map { ItemHandle.Content($0) }, handle.vault)
  }
}

/// Restores an item of the trash in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_trash_restore(
  _ transaction: OpaquePointer?, _ item: OpaquePointer?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let item = try ItemHandle.at(item)
    try handle.change(item) { (content) throws(VaultError) in
      content = ItemHandle.Content(try handle.transaction.restore(content.removedItem()))
    }
  }
}

/// Removes an item of the trash in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_trash_remove(
  _ transaction: OpaquePointer?, _ item: OpaquePointer?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let item = try ItemHandle.at(item)
    try handle.requireOwn(item)
    try handle.transaction.remove(
      item.read { (content) throws(VaultError) in try content.removedItem() })
  }
}

/// Removes the matching items of the trash in a transaction; the contract is in `vault.h`.
@c @implementation
public func vault_transaction_trash_empty(
  _ transaction: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try TransactionHandle.running(transaction)
    let options = try Options(options, among: .findingRemoved)
    let number = try handle.transaction.emptyTrash(ItemQuery(query, options))
    if let place = unsafe count { unsafe place.pointee = number }
  }
}

extension TransactionHandle {
  /// Returns the previous secret of an item that was replaced at a time.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if there is none.
  fileprivate func previous(
    _ replaced: UInt64, of item: InternetPassword
  ) throws(VaultError) -> PreviousSecret {
    try transaction.history(of: item).replaced(at: replaced, of: item)
  }
}
