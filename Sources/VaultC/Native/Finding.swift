public import CVault
import VaultModel

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Finds the best match; the contract is in `vault.h`.
@c @implementation
public func vault_find(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: item, in: vault) { (verbs) throws(VaultError) in
    let options = try Options(options, among: .finding)
    return try verbs.find(ItemQuery(query, options), withSecrets: options.contains(.withSecrets))
  }
}

/// Finds the only best match; the contract is in `vault.h`.
@c @implementation
public func vault_find_unique(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: item, in: vault) { (verbs) throws(VaultError) in
    let options = try Options(options, among: .finding)
    return try verbs.findUnique(
      ItemQuery(query, options), withSecrets: options.contains(.withSecrets))
  }
}

/// Finds all matches; the contract is in `vault.h`.
@c @implementation
public func vault_find_all(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t, _ limit: Int,
  _ items: UnsafeMutablePointer<UnsafeMutablePointer<OpaquePointer?>?>?,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  unsafe giveOut(at: items, count, in: vault) { (verbs) throws(VaultError) in
    let options = try Options(options, among: .finding)
    let found = try verbs.findAll(
      ItemQuery(query, options, limit: limit), withSecrets: options.contains(.withSecrets))
    return found.map { ItemHandle.Content($0) }
  }
}

/// Counts the matches; the contract is in `vault.h`.
@c @implementation
public func vault_count(
  _ vault: OpaquePointer?, _ query: OpaquePointer?, _ options: vault_options_t,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  status(in: vault) { (verbs) throws(VaultError) in
    let place = try unsafe required(count)
    let options = try Options(options, among: .finding)
    let number = try verbs.count(ItemQuery(query, options))
    unsafe place.pointee = number
  }
}
