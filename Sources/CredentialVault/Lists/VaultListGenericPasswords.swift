public import VaultModel

/// Lookups of generic passwords in several vaults: `list.genericPasswords`.
///
/// They are those of ``VaultGenericPasswords``, in the order of the list.
public struct VaultListGenericPasswords: Sendable {
  let list: VaultList

  /// Returns the best match in the first vault that has one.
  ///
  /// - Throws: As ``VaultGenericPasswords/find(_:withSecrets:)``; an error of a vault names it.
  public func find(
    _ query: GenericPasswordQuery, withSecrets: Bool = false
  ) throws(VaultError) -> VaultList.Found<GenericPassword> {
    try list.first { (vault) throws(VaultError) in
      try vault.genericPasswords.find(query, withSecrets: withSecrets)
    }
  }

  /// Returns the one best match in the first vault that has any.
  ///
  /// - Throws: As ``VaultGenericPasswords/findUnique(_:withSecrets:)``; an error of a vault names
  ///   it.
  public func findUnique(
    _ query: GenericPasswordQuery, withSecrets: Bool = false
  ) throws(VaultError) -> VaultList.Found<GenericPassword> {
    try list.first { (vault) throws(VaultError) in
      try vault.genericPasswords.findUnique(query, withSecrets: withSecrets)
    }
  }

  /// Returns the matches of all vaults, those of the first vault first.
  ///
  /// - Throws: As ``VaultGenericPasswords/findAll(_:withSecrets:)``; an error of a vault names it.
  public func findAll(
    _ query: GenericPasswordQuery = GenericPasswordQuery(), withSecrets: Bool = false
  ) throws(VaultError) -> [VaultList.Found<GenericPassword>] {
    let found = try list.all { (vault) throws(VaultError) in
      try vault.genericPasswords.findAll(query, withSecrets: withSecrets)
    }
    return Array(found.prefix(max(0, query.limit ?? found.count)))
  }

  /// Returns the item with an id from the first vault that has it.
  ///
  /// - Throws: As ``VaultGenericPasswords/item(_:hint:withSecrets:)``; an error of a vault names
  ///   it.
  public func item(
    _ id: ItemID, hint: GenericPassword.Key? = nil, withSecrets: Bool = false
  ) throws(VaultError) -> VaultList.Found<GenericPassword> {
    try list.first { (vault) throws(VaultError) in
      try vault.genericPasswords.item(id, hint: hint, withSecrets: withSecrets)
    }
  }
}
