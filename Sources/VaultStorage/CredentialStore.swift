package import VaultModel

/// A place that keeps items and the defaults of spaces: the sealed file, or the session's memory.
///
/// Both answer alike; one conformance suite is run against each. Safe from any thread.
package protocol CredentialStore: Sendable {
  /// The items that match, in the query's order; secrets are opened only if asked for.
  func find(_ query: ItemQuery, secrets: Bool) throws(VaultError) -> [InternetPassword]

  /// Adds an item, created now, and returns it as stored, with its secret.
  ///
  /// - Throws: ``VaultError/Code/duplicateItem`` with the item of the same key;
  ///   ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge`` for attributes out of bounds.
  func add(_ item: InternetPassword) throws(VaultError) -> InternetPassword

  /// Changes what is named of an item; what is not named is kept, and equal values change nothing.
  ///
  /// `hint` is the key under which the item was last seen.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/duplicateItem`` if another item has the new key.
  func modify(
    _ id: ItemID, hint: InternetPassword.Key, _ changes: [ItemChange]
  ) throws(VaultError) -> InternetPassword

  /// Deletes an item.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  func delete(_ id: ItemID, hint: InternetPassword.Key) throws(VaultError)

  /// The default user of a space, or nil if it has none.
  func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String?

  /// Makes a user the default of a space; nil clears it.
  func setDefaultUser(_ user: String?, for space: ProtectionSpace) throws(VaultError)

  /// All defaults.
  func defaults() throws(VaultError) -> [ProtectionSpace: String]
}
