import SealedTree
import VaultFile
public import VaultModel
import VaultSession

/// What has expired: by its own time, or because a policy let it be kept only so long.
extension VaultMaintenance {
  /// The session's and the file's items that have expired, without their secrets.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func expired() throws(VaultError) -> [InternetPassword] {
    try vault.requireUnlocked()
    let now = vault.time.now()
    let all =
      try vault.session.find(ItemQuery(), secrets: false)
      + (vault.file?.find(ItemQuery(), secrets: false) ?? [])
    return all.filter { $0.isExpired(at: now) }
  }

  /// Removes what has expired for good, the file's in one transaction, and the secrets that it had before; previous secrets
  /// that have expired, too, whose items stay, and what has been in the trash for too long.
  ///
  /// - Returns: The items that were removed, without secrets; none of the trash is among them.
  /// - Throws: As ``expired()``, and what writing the file throws.
  @discardableResult
  public func purge() throws(VaultError) -> [InternetPassword] {
    try vault.requireUnlocked()
    let temporary = try vault.session.removeExpired()
    guard let file = vault.file else { return temporary }
    return try file.write { (transaction) throws(VaultError) in
      let content = try transaction.content()
      let expired = content.items.filter { $0.isExpired(at: transaction.now) }
      for item in expired { try transaction.remove(item.id, hint: item.key, isForGood: true) }
      let gone = Set(expired.map(\.id))
      for past in content.past
      where past.kind == .previousSecret && past.isExpired(at: transaction.now)
        && (past.removed != nil || !gone.contains(past.id))
      {
        try transaction.remove(past)
      }
      try transaction.sweep()
      return temporary + expired
    }
  }
}
