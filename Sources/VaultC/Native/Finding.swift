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
  unsafe findOne(vault, query, options, item) { (vault, query, secrets) throws(VaultError) in
    try vault.find(query, secrets: secrets)
  }
}

/// Finds the only best match; the contract is in `vault.h`.
@c @implementation
public func vault_find_unique(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe findOne(vault, query, options, item) { (vault, query, secrets) throws(VaultError) in
    try vault.findUnique(query, secrets: secrets)
  }
}

private func findOne(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?,
  _ find: (Vault, ItemQuery, _ secrets: Bool) throws(VaultError) -> InternetPassword
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    // The caller's place for a handle, which is written only once there is one.
    let place = try unsafe required(item)
    let options = try Options(options, among: .finding)
    let found = try find(
      handle.vault, ItemQuery(query, options), options.contains(.withSecrets))
    unsafe place.pointee = ItemHandle(found, in: handle).givenOut()
  }
}

/// Finds all matches; the contract is in `vault.h`.
@c @implementation
public func vault_find_all(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t, _ limit: Int,
  _ items: UnsafeMutablePointer<UnsafeMutablePointer<OpaquePointer?>?>?,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let place = try unsafe required(items)
    let countPlace = try unsafe required(count)
    let options = try Options(options, among: .finding)
    var query = try ItemQuery(query, options)
    // A limit of C above `Int.max`, which is negative here, is none.
    query.limit = limit > 0 ? limit : nil
    let found = try handle.vault.findAll(query, secrets: options.contains(.withSecrets))
    unsafe place.pointee = try ItemArray.givenOut(found, of: handle)
    unsafe countPlace.pointee = found.count
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
