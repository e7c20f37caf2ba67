public import VaultModel

/// Lookups by the attributes of items, and by protection spaces.
extension VaultList {
  /// Returns the best match in the first vault that has one, as
  /// ``VaultReading/find(_:withSecrets:)`` does.
  ///
  /// - Throws: As that function; an error of a vault names it.
  public func find(
    _ query: ItemQuery, withSecrets: Bool = false
  ) throws(VaultError) -> Found {
    try first { (vault) throws(VaultError) in try vault.find(query, withSecrets: withSecrets) }
  }

  /// Returns the one best match in the first vault that has any, as
  /// ``VaultReading/findUnique(_:withSecrets:)`` does.
  ///
  /// - Throws: As that function; an error of a vault names it. Items of two vaults are never
  ///   ambiguous: the first vault answers.
  public func findUnique(
    _ query: ItemQuery, withSecrets: Bool = false
  ) throws(VaultError) -> Found {
    try first { (vault) throws(VaultError) in try vault.findUnique(query, withSecrets: withSecrets)
    }
  }

  /// Returns the matches of all vaults, those of the first vault first, as
  /// ``VaultReading/findAll(_:withSecrets:)`` does.
  ///
  /// An item is included even if an earlier vault has one of the same key, which answers the other
  /// lookups.
  ///
  /// - Throws: As that function; an error of a vault names it.
  public func findAll(
    _ query: ItemQuery, withSecrets: Bool = false
  ) throws(VaultError) -> [Found] {
    let found = try all { (vault) throws(VaultError) in
      try vault.findAll(query, withSecrets: withSecrets)
    }
    return Array(found.prefix(max(0, query.limit ?? found.count)))
  }

  /// Returns the item with an id from the first vault that has it, as
  /// ``VaultReading/item(_:hint:withSecrets:)`` does.
  ///
  /// - Throws: As that function; an error of a vault names it.
  public func item(
    _ id: ItemID, hint: Item.Key? = nil, withSecrets: Bool = false
  ) throws(VaultError) -> Found {
    try first { (vault) throws(VaultError) in
      try vault.item(id, hint: hint, withSecrets: withSecrets)
    }
  }

  /// Returns the credentials of a space, one for each user: that of the first vault that has one.
  ///
  /// - Throws: As ``Vault/credentials(for:)``; an error of a vault names it.
  public func credentials(for space: ProtectionSpace) throws(VaultError) -> [Credential] {
    var users: Set<[UInt8]> = []
    var (credentials, expired): ([Credential], VaultError?) = ([], nil)
    for vault in vaults {
      do throws(VaultError) {
        credentials += try vault.credentials(for: space).filter {
          users.insert(Array($0.user.utf8)).inserted
        }
      } catch {
        guard error.code == .expired else { throw named(error, vault) }
        expired = expired ?? error
      }
    }
    if credentials.isEmpty, let expired { throw expired }
    return credentials
  }

  /// Returns the credential to use when none is chosen, of the first vault that has any for the
  /// space, as ``Vault/defaultCredential(for:)`` does.
  ///
  /// - Returns: Nil if no vault has one, or that vault has several and no default.
  /// - Throws: As that function; an error of a vault names it.
  public func defaultCredential(for space: ProtectionSpace) throws(VaultError) -> Credential? {
    do throws(VaultError) {
      return try firstResult { (vault) throws(VaultError) -> Credential? in
        if let credential = try vault.defaultCredential(for: space) { return credential }
        guard try vault.users(for: space).isEmpty else { return nil }
        throw VaultError(.itemNotFound, "\(space) has no credential")
      }.0
    } catch {
      guard error.code == .itemNotFound else { throw error }
      return nil
    }
  }
}
