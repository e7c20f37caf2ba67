import VaultStore
public import VaultModel

/// Credentials that a server has yet to accept: `vault.pending`.
///
/// A pending credential is usable at once and overrides the stored one of its user. It is kept in
/// memory only, and is gone when the program ends or the vault is locked.
public struct PendingCredentials: Sendable {
  let vault: Vault

  /// Holds a credential until it is confirmed or rejected.
  ///
  /// - Parameters:
  ///   - credential: The user and the secret.
  ///   - space: The space in which it is used.
  ///   - requestPath: The path that was requested, as for ``Vault/set(_:for:at:afterAcceptance:)``.
  /// - Returns: The result; its ``StoreResult/pending`` is nil if nothing may be kept, or `none`
  ///   was asked for, and then nothing is held.
  /// - Throws: ``VaultError/Code/policyRefused``; ``VaultError/Code/locked``;
  ///   ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge`` for attributes out of
  ///   bounds.
  public func set(
    _ credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath? = nil
  ) throws(VaultError) -> StoreResult {
    try vault.requireUnlocked()
    var item = Item(credential, in: space)
    // With the key of the item that it may replace, it is found before that item.
    let query = ItemQuery(space, at: requestPath)
    var stored =
      try vault.session.stored(query) + (vault.file?.find(query, withSecrets: false) ?? [])
    stored.removeAll { !$0.isOf(credential.user) }
    // The session's items come before the file's.
    if let known = stored.forNewSecret(at: requestPath) { item.key = known.key }
    return try vault.storing(.session) { [item] (gate) throws(VaultError) in
      var item = item
      let decision = try gate.decide(
        item.key, requested: credential.persistence, since: gate.now)
      guard decision.granted > .none else { return try gate.storeNothing(item, decision) }
      item.keptUntil = decision.expires
      return try gate.addPending(item, decision)
    }
  }

  /// Stores a pending credential, because the server accepted it.
  ///
  /// The policy decides again. An item stored for the same user and space gets the new secret and
  /// keeps its other attributes.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is not pending: confirmed, rejected or wiped
  ///   by a lock meanwhile; ``VaultError/Code/policyRefused``, and it is dropped; any error of
  ///   writing the file, and it stays pending.
  @discardableResult
  public func confirm(_ pending: PendingCredential) throws(VaultError) -> StoreResult {
    do throws(VaultError) {
      return try vault.storing(pending.requested) { (gate) throws(VaultError) in
        try gate.confirm(pending)
      }
    } catch {
      if error.code == .policyRefused { drop(pending) }
      throw error
    }
  }

  private func drop(_ pending: PendingCredential) {
    do throws(VaultError) {
      try vault.session.own.removePending(pending.id)
    } catch {
      // It is gone: confirmed, rejected or wiped meanwhile.
      return
    }
  }

  /// Drops a pending credential, because the server rejected it; the item that it hid is found
  /// again.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is not pending; ``VaultError/Code/locked``.
  public func reject(_ pending: PendingCredential) throws(VaultError) {
    try vault.requireUnlocked(endsWhenCancelled: false)
    try vault.session.own.removePending(pending.id)
  }
}

extension PolicyGate {
  fileprivate func confirm(_ pending: PendingCredential) throws(VaultError) -> StoreResult {
    let waiting = try session.own.pending(pending.id)
    try dropPending(pending.id)
    // The item to replace was looked for when the credential was held; its path is that item's, or
    // none.
    let stored = try set(
      waiting.item, at: .root, requested: waiting.requested, afterAcceptance: true)
    guard stored.item.persistence == .permanent else { return stored }
    try renewInSession(waiting.item, since: stored.item.secretChanged)
    // A default that was set for it while it was pending stays with it.
    if let space = waiting.item.space { try promoteDefault(of: waiting.item.account, for: space) }
    return stored
  }

  /// Replaces the secret of the session's credential of the same user as well: it hides the file's,
  /// and its old secret would be tried again.
  ///
  /// Both secrets have the same age.
  private func renewInSession(
    _ accepted: Item, since changed: Timestamp
  ) throws(VaultError) {
    guard let hiding = try known(for: accepted, in: session, at: .root) else { return }
    var item = try takeFromSession(hiding)
    let decision = try policy().decide(item.key, requested: .session, now: changed)
    guard decision.granted == .session else { return note(.removed(VaultEvent.Subject(item))) }
    _ = item.apply(try renewing(item, secretChanges(from: accepted)))
    item.secretChanged = changed
    item.modified = now
    item.keptUntil = decision.expires
    note(.modified(VaultEvent.Subject(try putIntoSession(item))))
  }
}
