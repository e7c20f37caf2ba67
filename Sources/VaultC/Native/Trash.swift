public import CVault
import VaultModel

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Lists the items of the trash; the contract is in `vault.h`.
@c @implementation
public func vault_trash_list(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t, _ limit: Int,
  _ items: UnsafeMutablePointer<UnsafeMutablePointer<OpaquePointer?>?>?,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  unsafe giveOut(at: items, count, in: vault) { (verbs) throws(VaultError) in
    let options = try Options(options, among: .findingRemoved)
    let removed = try verbs.trash(ItemQuery(query, options, limit: limit))
    return removed.map { ItemHandle.Content($0) }
  }
}

/// Restores an item of the trash; the contract is in `vault.h`.
@c @implementation
public func vault_trash_restore(_ item: OpaquePointer?) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    try handle.changeInScope { (content, verbs) throws(VaultError) in
      content = ItemHandle.Content(try verbs.restore(content.removedItem()))
    }
  }
}

/// Removes an item of the trash; the contract is in `vault.h`.
@c @implementation
public func vault_trash_remove(_ item: OpaquePointer?) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let removed = try handle.read { (content) throws(VaultError) in try content.removedItem() }
    try handle.scope.perform { (verbs) throws(VaultError) in try verbs.remove(removed) }
  }
}

/// Removes the matching items of the trash; the contract is in `vault.h`.
@c @implementation
public func vault_trash_empty(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  status(in: vault) { (verbs) throws(VaultError) in
    let options = try Options(options, among: .findingRemoved)
    let number = try verbs.emptyTrash(ItemQuery(query, options))
    if let place = unsafe count { unsafe place.pointee = number }
  }
}

/// Returns the days for which removed items are kept; the contract is in `vault.h`.
@c @implementation
public func vault_get_trash_days(
  _ vault: OpaquePointer?, _ days: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  status(in: vault) { (verbs) throws(VaultError) in
    let place = try unsafe required(days)
    unsafe place.pointee = try verbs.trashDays
  }
}

/// Sets the days for which removed items are kept; the contract is in `vault.h`.
@c @implementation
public func vault_set_trash_days(_ vault: OpaquePointer?, _ days: Int) -> vault_status_t {
  status(in: vault) { (verbs) throws(VaultError) in try verbs.setTrashDays(days) }
}
