import VaultFile
public import VaultModel
import VaultSession

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
  ///   - space: Where it is used.
  ///   - requestPath: What was requested, as for ``Vault/set(_:for:at:isAccepted:)``.
  /// - Returns: Without ``StoreResult/pending`` if nothing may be kept, or `none` was asked for: then nothing is held.
  /// - Throws: ``VaultError/Code/policyRefused``; ``VaultError/Code/locked``; ``VaultError/Code/invalidArgument`` or
  ///   ``VaultError/Code/tooLarge`` for attributes out of bounds.
  public func set(
    _ credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath? = nil
  ) throws(VaultError) -> StoreResult {
    try vault.requireUnlocked()
    var item = InternetPassword(credential, in: space)
    // Under the key of what it may replace it stands before that.
    let query = ItemQuery(space, at: requestPath)
    var stored = try vault.session.stored(query) + (vault.file?.find(query, secrets: false) ?? [])
    stored.removeAll { !$0.isOf(credential.user) }
    // The session's are before the file's.
    if let known = stored.forNewSecret(at: requestPath) { item.key = known.key }
    return try vault.storing(.session) { [item] (gate) throws(VaultError) in
      var item = item
      let decision = try gate.decide(
        item.key, requested: credential.persistence, since: gate.now)
      guard decision.granted > .none else { return try gate.forget(item, decision) }
      item.keptUntil = decision.expires
      return try gate.wait(item, decision)
    }
  }

  /// Stores a pending credential, because the server accepted it.
  ///
  /// The policy decides anew. What is stored for the same user and space already gets the new secret and keeps its other
  /// attributes.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is not pending: confirmed, rejected or wiped by a lock meanwhile;
  ///   ``VaultError/Code/policyRefused``, and it is dropped; what writing the file throws, and it stays pending.
  @discardableResult
  public func confirm(_ pending: PendingCredential) throws(VaultError) -> StoreResult {
    do throws(VaultError) {
      return try vault.storing(pending.requested) { (gate) throws(VaultError) in
        try gate.confirm(pending)
      }
    } catch {
      if error.code == .policyRefused { try reject(pending) }
      throw error
    }
  }

  /// Drops a pending credential, because the server rejected it; what it hid is found again.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is not pending; ``VaultError/Code/locked``.
  public func reject(_ pending: PendingCredential) throws(VaultError) {
    try vault.requireUnlocked()
    try vault.session.removePending(pending.id)
  }
}

extension PolicyGate {
  fileprivate func confirm(_ pending: PendingCredential) throws(VaultError) -> StoreResult {
    let waiting = try session.pending(pending.id)
    try dropPending(pending.id)
    // What it may replace was looked for when it was held, and its path is that one's, or none.
    let stored = try set(
      waiting.item, at: .root, requested: waiting.requested, isAccepted: true)
    guard stored.item.persistence == .permanent else { return stored }
    try renewInSession(waiting.item, since: stored.item.secretChanged)
    // A default that was chosen for it while it was pending stays with it.
    if let space = waiting.item.space { try promoteDefault(of: waiting.item.account, for: space) }
    return stored
  }

  /// Gives the session's credential of the same user the secret, too: it hides the file's, and would be tried again.
  ///
  /// It is as old there as in the file.
  private func renewInSession(
    _ accepted: InternetPassword, since changed: Timestamp
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
