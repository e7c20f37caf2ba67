import SealedTree
import VaultFile
public import VaultModel
import VaultSession

/// Items that have expired: by their own time, or because a policy limits how long they are kept.
extension VaultMaintenance {
  /// Returns the expired items of the session and the file, without their secrets.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func expired() throws(VaultError) -> [InternetPassword] {
    try vault.requireUnlocked()
    let now = vault.time.now()
    let all =
      try vault.session.find(.everything, secrets: false)
      + (vault.file?.find(.everything, secrets: false) ?? [])
    return all.filter { $0.isExpired(at: now) }
  }

  /// Removes expired items permanently, with their previous secrets; the file's are removed in one
  /// transaction.
  ///
  /// Expired previous secrets of items that stay are removed too, and items that have been in the
  /// trash, or in the log, for too long.
  ///
  /// - Returns: The items that were removed, without secrets; those of the trash are not included.
  /// - Throws: As ``expired()``, and any error of writing the file.
  @discardableResult
  public func purge() throws(VaultError) -> [InternetPassword] {
    try vault.requireUnlocked()
    let temporary = try vault.session.removeExpired()
    guard let file = vault.file else { return temporary }
    return try file.write { (transaction) throws(VaultError) in
      let expired = try transaction.removeExpired()
      try transaction.sweep()
      try transaction.sweepLog()
      return temporary + expired
    }
  }
}

extension FileTransaction {
  /// Removes expired items permanently, and expired previous secrets; returns the items.
  func removeExpired() throws(VaultError) -> [InternetPassword] {
    let content = try content()
    let expired = content.items.filter { $0.isExpired(at: now) }
    for item in expired { try remove(item.id, hint: item.key, isForGood: true) }
    let gone = Set(expired.map(\.id))
    for past in content.past
    where past.kind == .previousSecret && past.isExpired(at: now)
      && (past.removed != nil || !gone.contains(past.id))
    {
      try remove(past)
    }
    return expired
  }
}
