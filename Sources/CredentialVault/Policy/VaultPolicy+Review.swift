import SealedTree
import SecureMemory
import VaultFile
public import VaultModel
import VaultSession

/// Applies a stricter policy to what is already stored.
extension VaultPolicy {
  /// Returns everything that is kept although the policy would no longer grant it; nothing is
  /// changed.
  ///
  /// These are items of this process's session and of the file, pending credentials that may not
  /// even be used, previous secrets, removed items and the file's defaults. Whether a server
  /// accepted a stored credential is not checked.
  ///
  /// - Returns: None if everything conforms.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/tooNew``, ``VaultError/Code/damaged``,
  ///   ``VaultError/Code/busy``.
  public func excesses() throws(VaultError) -> [PolicyExcess] {
    try vault.requireUnlocked()
    let review = Review(policy: try vault.currentPolicy(), now: vault.time.now())
    let excesses = try review.session(vault.session)
    guard let file = vault.file else { return excesses }
    return try review.file(file.content()).map(\.excess) + excesses
  }

  /// Moves to the session, removes or shortens everything that ``excesses()`` lists, in one
  /// transaction.
  ///
  /// Items moved to the session are lost when the process ends. Retention is only ever shortened.
  ///
  /// - Returns: The excesses that were remedied.
  /// - Throws: As ``excesses()``, and any error of writing the file; then nothing was changed.
  @discardableResult
  public func apply() throws(VaultError) -> [PolicyExcess] {
    try vault.storing(vault.file == nil ? .session : .permanent) { (gate) throws(VaultError) in
      let review = Review(policy: try gate.policy(), now: gate.now)
      let temporary = try review.session(vault.session)
      for excess in temporary { try gate.remedyInSession(excess) }
      guard let transaction = gate.transaction else { return temporary }
      let permanent = try review.file(transaction.content())
      // Removing an item, or one in the trash, also removes its previous secrets.
      for found in permanent where found.past?.kind == .previousSecret {
        try gate.remedy(found)
      }
      for found in permanent where found.past?.kind != .previousSecret {
        try gate.remedy(found)
      }
      return permanent.map(\.excess) + temporary
    }
  }
}

extension PolicyGate {
  fileprivate func remedyInSession(_ excess: PolicyExcess) throws(VaultError) {
    guard let id = excess.id else { return }
    guard try !session.own.isPending(id) else { return try dropPending(id) }
    var query = ItemQuery(key: excess.key)
    query.id = id
    guard let known = try session.stored(query).first else { return }
    var item = try takeFromSession(known)
    guard case .shorten(let until) = excess.remedy else {
      return note(.removed(VaultEvent.Subject(item)))
    }
    item.keptUntil = until
    note(.modified(VaultEvent.Subject(try putIntoSession(item))))
  }

  fileprivate func remedy(_ found: Review.Found) throws(VaultError) {
    let transaction = try file()
    let excess = found.excess
    if let past = found.past {
      guard case .shorten(let until) = excess.remedy else { return try transaction.remove(past) }
      return try transaction.keep(past, until: until)
    }
    guard let id = excess.id else { return try remedyDefault(excess) }
    switch excess.remedy {
    case .remove: try transaction.remove(id, hint: excess.key, isForGood: true)
    case .shorten(let until):
      let item = try transaction.keep(id, hint: excess.key, until: until)
      note(.modified(VaultEvent.Subject(item)))
    case .moveToSession:
      var query = ItemQuery(key: excess.key)
      query.id = id
      guard let item = try transaction.find(query).first else { return }
      let decision = try policy().decide(
        item.key, requested: .session, now: item.secretChanged)
      let twin = try session.stored(item.key)
      _ = try move(item, twin: twin, until: decision.expires)
    }
  }

  private func remedyDefault(_ excess: PolicyExcess) throws(VaultError) {
    guard let space = excess.space else { return }
    try takeDefault(excess.remedy == .moveToSession ? excess.key.account : nil, of: space)
  }
}
