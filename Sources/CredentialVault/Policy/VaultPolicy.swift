import SealedTree
import SecureMemory
import VaultStore
public import VaultModel

/// The reasons for a policy's decision.
public struct PolicyExplanation: Sendable {
  /// The decision that would be made now.
  public let decision: PersistencePolicy.Decision
  /// The rules that were tried, in order, each with the condition that did not hold; the last one
  /// has none if it decides.
  public let tried: [(rule: PersistencePolicy.Rule, mismatch: PersistencePolicy.Rule.Field?)]
}

/// The policy of a vault: `vault.policy`.
public struct VaultPolicy: Sendable {
  let vault: Vault

  /// Returns the policy that applies now, whoever wrote it.
  ///
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/tooNew`` if a rule has a part that
  ///   this version does not know: then nothing can be stored either.
  public func current() throws(VaultError) -> PersistencePolicy {
    try vault.requireUnlocked()
    return try vault.currentPolicy()
  }

  /// Changes the policy in one write transaction.
  ///
  /// Credentials that are already stored stay as they are until ``apply()``.
  ///
  /// - Parameter change: Gets the rules as they are at that moment, in order.
  /// - Returns: The policy as it is now.
  /// - Throws: Any error of `change`; any error of ``PersistencePolicy/init(rules:)`` for the rules
  ///   that it leaves, and nothing is stored; ``VaultError/Code/unsupported`` for a vault in
  ///   memory; any error of writing the file.
  @discardableResult
  public func update(
    _ change: (inout [PersistencePolicy.Rule]) throws -> Void
  ) throws -> PersistencePolicy {
    try UserClosure.within { (closure) throws(VaultError) in
      try self.change { (rules) throws(VaultError) in
        var changed = rules
        try closure.call { try change(&changed) }
        rules = changed
      }
    }
  }

  /// Changes the policy as ``update(_:)`` does, for a change that throws only ``VaultError``.
  @discardableResult
  package func change(
    _ change: (inout [PersistencePolicy.Rule]) throws(VaultError) -> Void
  ) throws(VaultError) -> PersistencePolicy {
    try vault.requireUnlocked()
    return try vault.requireFile().write { (transaction) throws(VaultError) in
      var rules = try transaction.policy().rules
      try change(&rules)
      let policy = try PersistencePolicy(rules: rules)
      try transaction.setPolicy(policy)
      return policy
    }
  }

  /// Returns the decision on a new credential of a space, and the reasons for it.
  ///
  /// - Throws: As ``current()``.
  public func explain(
    _ space: ProtectionSpace, requested: Persistence = .permanent
  ) throws(VaultError) -> PolicyExplanation {
    let policy = try current()
    return PolicyExplanation(
      decision: policy.decide(space, requested: requested, now: vault.time.now()),
      tried: policy.explain(space))
  }

  /// Explains the decision on a request to keep a generic password of a service, as
  /// ``explain(_:requested:)`` does for a space.
  public func explain(
    service: String, requested: Persistence = .permanent
  ) throws(VaultError) -> PolicyExplanation {
    let policy = try current()
    return PolicyExplanation(
      decision: policy.decide(service: service, requested: requested, now: vault.time.now()),
      tried: policy.explain(service: service))
  }
}

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
  /// Items moved to the session are lost when the process ends, or the session if that is shared.
  /// Retention is only ever shortened.
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
    case .remove: try transaction.remove(id, hint: excess.key, removal: .permanent)
    case .shorten(let until):
      let item = try transaction.keep(id, hint: excess.key, until: until)
      note(.modified(VaultEvent.Subject(item)))
    case .moveToSession:
      var query = ItemQuery(key: excess.key)
      query.id = id
      guard let item = try transaction.find(query).first else { return }
      let decision = try policy().decide(
        item.key, requested: .session, now: item.secretChanged)
      let counterpart = try session.stored(item.key)
      _ = try move(item, counterpart: counterpart, until: decision.expires)
    }
  }

  private func remedyDefault(_ excess: PolicyExcess) throws(VaultError) {
    guard let space = excess.space else { return }
    try takeDefault(excess.remedy == .moveToSession ? excess.key.account : nil, of: space)
  }
}
