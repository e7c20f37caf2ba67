public import CVault
import CredentialVault
import VaultModel

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Removes an item; the contract is in `vault.h`.
@c @implementation
public func vault_remove(_ item: OpaquePointer?, _ if_revision: UInt64) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    try handle.vault.vault.remove(handle.item, ifRevision: .known(if_revision))
  }
}

/// Removes the only best match; the contract is in `vault.h`.
@c @implementation
public func vault_remove_unique(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOutIfWanted(at: item) { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let removed = try handle.vault.removeOne(ItemQuery(removing: query, options))
    return (ItemHandle.Content(removed), handle)
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
    let number = try handle.vault.removeAll(ItemQuery(removing: query, options))
    if let place = unsafe count { unsafe place.pointee = number }
  }
}

extension UInt64? {
  /// The revision that an item must have; 0 in C means any.
  static func known(_ revision: UInt64) -> UInt64? { revision == 0 ? nil : revision }
}
