public import SecureMemory
import VaultCrypto
import VaultStore
public import VaultModel

extension Vault {
  /// PINs that seal the secrets of single items.
  public var pins: VaultPINs { VaultPINs(vault: self) }
}

/// The PINs of items: `vault.pins`.
///
/// A PIN seals the secret of one item a second time, so that the open vault alone does not give it:
/// ``Item/secret`` is nil wherever the item is found, and no question for a password is
/// answered by it. After three wrong PINs the next one is delayed, by one second at first and by
/// twice as much each time, up to an hour. The count is kept in this machine's state folder;
/// without one that can be written, and in vaults without a file, nothing is counted. Anyone who
/// has the vault and its key can try PINs elsewhere, so a PIN of four digits is worth little
/// against them.
public struct VaultPINs: Sendable {
  let vault: Vault

  /// Opens the secret of an item.
  ///
  /// - Parameters:
  ///   - item: As it was found; only its id, its key and where it is kept are looked at.
  ///   - pin: The item's PIN.
  /// - Returns: The item as it is now, with its secret. It is stored as it was.
  /// - Throws: ``VaultError/Code/authenticationFailed`` for a wrong PIN;
  ///   ``VaultError/Code/tooManyAttempts``, whose context says when the next one may be;
  ///   ``VaultError/Code/invalidArgument`` if the item needs none; ``VaultError/Code/expired``;
  ///   ``VaultError/Code/itemNotFound``; ``VaultError/Code/outOfMemory``;
  ///   ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func open(
    _ item: Item, pin: Secret
  ) throws(VaultError) -> Item {
    var found = try stored(item)
    found.secret = try secret(of: found, pin: pin)
    return found
  }

  /// Seals the secret of an item by a PIN; its previous secrets are removed, because the vault
  /// alone opens them, or another PIN does.
  ///
  /// Copies and backups that were made before still have the secret as it was.
  ///
  /// - Parameters:
  ///   - pin: The new PIN, at least four bytes.
  ///   - item: As it was found, with a secret and no further ones.
  ///   - old: Its present PIN; nil if it has none.
  ///   - cost: The cost of trying a PIN.
  /// - Returns: The item as it is now, without its secret, and what the policy granted.
  /// - Throws: ``VaultError/Code/pinRequired`` if it has a PIN and `old` is nil;
  ///   ``VaultError/Code/invalidArgument`` for a PIN that is too short, an item without a secret,
  ///   or one with further secrets, which would stay open; ``VaultError/Code/conflict`` if somebody
  ///   changes the item meanwhile; else as ``open(_:pin:)``, and any error of writing the file.
  @discardableResult
  public func set(
    _ pin: Secret, on item: Item, replacing old: Secret? = nil,
    cost: PassphraseCost = .policy
  ) throws(VaultError) -> StoreResult {
    let found = try stored(item)
    let secret = try clear(found, pin: old)
    guard secret.count > 0 else { throw VaultError(.invalidArgument, "the item has no secret") }
    try Self.requireNoFurtherSecrets(found)
    return try replace(
      found, sealed(secret, pin, cost), found.secretKind.withPIN, removal: .permanent)
  }

  /// Adds an item whose secret a PIN seals from the beginning.
  ///
  /// - Parameters:
  ///   - item: With a secret and no further ones.
  ///   - pin: Its PIN, at least four bytes.
  ///   - persistence: `session` or `permanent`; `none` stores nothing.
  ///   - cost: The cost of trying the PIN.
  /// - Returns: The item as stored, and what the policy granted.
  /// - Throws: ``VaultError/Code/invalidArgument`` as ``set(_:on:replacing:cost:)``, and for an
  ///   item that has a PIN; ``VaultError/Code/outOfMemory``; else as
  ///   ``Vault/add(_:persistence:afterAcceptance:)``.
  @discardableResult
  public func add(
    _ item: Item, pin: Secret, persistence: Persistence = .permanent,
    cost: PassphraseCost = .policy
  ) throws(VaultError) -> StoreResult {
    guard let secret = item.secret, secret.count > 0 else {
      throw VaultError(.invalidArgument, "the item has no secret")
    }
    try Self.requireNoFurtherSecrets(item)
    var item = item
    item.storedSecret = try sealed(secret, pin, cost)
    item.secretKind = item.secretKind.withPIN
    return try vault.add(item, persistence: persistence, afterAcceptance: true)
  }

  /// Changes the secret of an item that needs a PIN.
  ///
  /// - Parameters:
  ///   - secret: The new secret, of at least one byte, which the same PIN seals.
  ///   - item: As it was found.
  ///   - pin: Its PIN.
  ///   - cost: The cost of trying it.
  /// - Returns: The item as it is now, without its secret, and what the policy granted.
  /// - Throws: As ``open(_:pin:)``; ``VaultError/Code/conflict`` if somebody changes the item
  ///   meanwhile; ``VaultError/Code/policyRefused``; any error of writing the file.
  @discardableResult
  public func setSecret(
    _ secret: Secret, of item: Item, pin: Secret, cost: PassphraseCost = .policy
  ) throws(VaultError) -> StoreResult {
    let found = try stored(item)
    _ = try self.secret(of: found, pin: pin)
    guard secret.count > 0 else {
      throw VaultError(.invalidArgument, "a PIN seals no empty secret")
    }
    return try replace(found, sealed(secret, pin, cost), found.secretKind)
  }

  /// Removes the PIN of an item: the open vault gives the secret again.
  ///
  /// Its previous secrets are removed, since each is sealed by the PIN that it had.
  ///
  /// - Returns: The item as it is now, without its secret, and what the policy granted.
  /// - Throws: As ``open(_:pin:)``; ``VaultError/Code/conflict`` if somebody changes the item
  ///   meanwhile; ``VaultError/Code/policyRefused``; any error of writing the file.
  @discardableResult
  public func remove(
    from item: Item, pin: Secret
  ) throws(VaultError) -> StoreResult {
    let found = try stored(item)
    let secret = try secret(of: found, pin: pin)
    return try replace(found, secret, found.secretKind.withoutPIN, removal: .permanent)
  }

  // MARK: Steps

  private static func requireNoFurtherSecrets(_ item: Item) throws(VaultError) {
    guard let further = Attribute.furtherSecrets.first(where: { item[secret: $0] != nil }) else {
      return
    }
    throw VaultError(.invalidArgument, "a \(further.name) is not sealed by a PIN")
  }

  /// Returns an item as it is now, with the secret that is stored.
  private func stored(_ item: Item) throws(VaultError) -> Item {
    try vault.item(item.id, hint: item.key, withSecrets: true)
  }

  private func clear(_ item: Item, pin: Secret?) throws(VaultError) -> Secret {
    guard item.needsPIN else { return try item.requireSecret() }
    guard let pin else {
      throw VaultError(.pinRequired, "the item has a PIN", candidates: [item.withoutSecrets])
    }
    return try secret(of: item, pin: pin)
  }

  private func secret(of item: Item, pin: Secret) throws(VaultError) -> Secret {
    guard item.needsPIN else {
      throw VaultError(
        .invalidArgument, "the item needs no PIN", candidates: [item.withoutSecrets])
    }
    guard let sealed = item.storedSecret else {
      throw VaultError(.expired, "the item has expired", candidates: [item])
    }
    guard let file = vault.file else { return try PINSeal.open(sealed, pin: pin) }
    return try file.attemptPIN(of: item.id, at: vault.now) { () throws(VaultError) in
      try PINSeal.open(sealed, pin: pin)
    }
  }

  private func sealed(
    _ secret: Secret, _ pin: Secret, _ cost: PassphraseCost
  ) throws(VaultError) -> Secret {
    guard pin.count >= 4 else {
      throw VaultError(.invalidArgument, "a PIN has at least four characters")
    }
    return try PINSeal.seal(secret, pin: pin, cost: cost)
  }

  private func replace(
    _ item: Item, _ secret: Secret, _ kind: SecretKind, removal: Removal = .recoverable
  ) throws(VaultError) -> StoreResult {
    let changes = ItemChange.withPIN([.secret(secret), .secretKind(kind)])
    return try vault.storing(item.persistence) { (gate) throws(VaultError) in
      try gate.modify(
        item, changes, revision: item.revision, afterAcceptance: true, removal: removal)
    }
  }
}
