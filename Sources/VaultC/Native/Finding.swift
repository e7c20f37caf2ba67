public import CVault
import CredentialVault
import VaultModel

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Finds the best match; the contract is in `vault.h`.
@c @implementation
public func vault_find(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: item) { () throws(VaultError) in
    let (handle, options) = (try VaultHandle.at(vault), try Options(options, among: .finding))
    let found = try handle.vault.find(
      ItemQuery(query, options), secrets: options.contains(.withSecrets))
    return ItemHandle(found, in: handle)
  }
}

/// Finds the only best match; the contract is in `vault.h`.
@c @implementation
public func vault_find_unique(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: item) { () throws(VaultError) in
    let (handle, options) = (try VaultHandle.at(vault), try Options(options, among: .finding))
    let found = try handle.vault.findUnique(
      ItemQuery(query, options), secrets: options.contains(.withSecrets))
    return ItemHandle(found, in: handle)
  }
}

/// Finds all matches; the contract is in `vault.h`.
@c @implementation
public func vault_find_all(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t, _ limit: Int,
  _ items: UnsafeMutablePointer<UnsafeMutablePointer<OpaquePointer?>?>?,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  unsafe giveOut(at: items, count) { () throws(VaultError) in
    let (handle, options) = (try VaultHandle.at(vault), try Options(options, among: .finding))
    let found = try handle.vault.findAll(
      ItemQuery(query, options, limit: limit), secrets: options.contains(.withSecrets))
    return (found.map { ItemHandle.Content($0) }, handle)
  }
}

/// Counts the matches; the contract is in `vault.h`.
@c @implementation
public func vault_count(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let place = try unsafe required(count)
    let options = try Options(options, among: .finding)
    let number = try handle.vault.count(ItemQuery(query, options))
    unsafe place.pointee = number
  }
}
