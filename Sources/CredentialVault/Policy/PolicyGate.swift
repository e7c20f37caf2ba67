import SecureMemory
package import VaultStore
import VaultModel

/// The only way to store or move items: it stores what the policy grants, as
/// ``decide(_:requested:since:needsPIN:under:)`` says.
///
/// A gate exists for one change of a vault: within one write transaction of the file, or without
/// one for requests that concern the session only.
package final class PolicyGate {
  let session: LayeredSession
  /// The file's transaction; nil if nothing permanent was requested, and in a vault without a file.
  let transaction: FileTransaction?
  let now: Timestamp
  private let readPolicy: () throws(VaultError) -> PersistencePolicy
  /// Functions that undo the changes of the session if the file's cannot be committed, in the order
  /// of the changes.
  private var undoing: [Undo] = []
  /// Whether changes of the session alone belong together: all of them stay, or none.
  private var isSeries = false
  /// The events of a series, of which observers are told when all of it is done.
  private var events: [VaultEvent] = []

  private struct Undo {
    /// Whether it brings an item back, rather than removing or changing one.
    let isRestoring: Bool
    let run: () throws(VaultError) -> Void
  }

  /// Creates a gate that stores for the session only, under the policy that is read at the first
  /// decision.
  init(
    _ session: LayeredSession, now: Timestamp,
    policy: @escaping () throws(VaultError) -> PersistencePolicy
  ) {
    self.session = session
    transaction = nil
    self.now = now
    readPolicy = policy
  }

  /// Creates a gate that stores under the policy that the file has within a transaction.
  package init(_ session: LayeredSession, _ transaction: FileTransaction) {
    self.session = session
    self.transaction = transaction
    now = transaction.now
    readPolicy = { () throws(VaultError) in try transaction.policy() }
  }

  /// Returns whether nothing stays of what is removed or replaced in this way; the session has no
  /// setting of its own.
  private func isPermanent(_ removal: Removal) -> Bool {
    transaction?.isPermanent(removal) ?? (removal != .recoverable)
  }

  /// Returns the policy; removing and clearing need none, even if a later version's cannot be read.
  func policy() throws(VaultError) -> PersistencePolicy { try readPolicy() }

  /// Records how to bring back an item that was taken out of the session.
  func onFailure(restore: @escaping () throws(VaultError) -> Void) {
    undoing.append(Undo(isRestoring: true, run: restore))
  }

  /// Records how to revert the change of an item that stayed in the session.
  func onFailure(revert: @escaping () throws(VaultError) -> Void) {
    undoing.append(Undo(isRestoring: false, run: revert))
  }

  /// Records how to remove an item that was put into the session.
  func onFailure(remove: @escaping () throws(VaultError) -> Void) {
    undoing.append(Undo(isRestoring: false, run: remove))
  }

  /// Undoes the session's changes.
  ///
  /// If the file's transaction may have been committed, only removed items are brought back: a
  /// credential in both places is harmless, and one in neither is lost.
  func undo(after failure: VaultError? = nil) {
    for undo in undoing.reversed() where undo.isRestoring || failure?.code != .outcomeUnknown {
      do throws(VaultError) {
        try undo.run()
      } catch {
        // Somebody else changed or removed it meanwhile, or the session ended with all that it
        // had.
        continue
      }
    }
    (undoing, events) = ([], [])
  }

  /// Whether a change of the session is undone if a later one fails.
  var isUndoable: Bool { transaction != nil || isSeries }

  /// Begins several changes that belong together.
  func beginSeries() { isSeries = true }

  /// Ends them; their events are told in order.
  func endSeries() {
    for event in events { session.note(event) }
    (isSeries, events) = (false, [])
  }

  /// Tells observers of an event: at the commit, at the end of a series, or now.
  func note(_ event: VaultEvent) {
    if let transaction {
      transaction.note(event)
    } else if isSeries {
      events.append(event)
    } else {
      session.note(event)
    }
  }

  // MARK: Deciding

  /// Returns the decision on an item with a key whose secret was changed at a time.
  ///
  /// `known` is the policy if it was read before. Throws ``VaultError/Code/policyRefused``, naming
  /// the rule.
  package func decide(
    _ key: Item.Key, requested: Persistence, since changed: Timestamp,
    needsPIN: Bool = true, under known: PersistencePolicy? = nil
  ) throws(VaultError) -> PersistencePolicy.Decision {
    let policy = if let known { known } else { try policy() }
    let decision = policy.decide(
      key, requested: requested, now: changed, needsPIN: needsPIN)
    guard !decision.isRefused else {
      throw VaultError(
        .policyRefused,
        "rule \"\(decision.rule?.name ?? "")\" lets no credential be kept for \(key.subject)")
    }
    return decision
  }

  // MARK: Storing

  /// Adds an item where the policy allows it; `afterAcceptance` says whether a server has accepted
  /// it.
  func add(
    _ item: Item, requested: Persistence, afterAcceptance: Bool
  ) throws(VaultError) -> StoreResult {
    try withPortVariant(adding(item, requested: requested, afterAcceptance: afterAcceptance))
  }

  private func adding(
    _ item: Item, requested: Persistence, afterAcceptance: Bool
  ) throws(VaultError) -> StoreResult {
    let decision = try decide(
      item.key, requested: requested, since: now, needsPIN: item.needsPIN)
    var item = item
    item.keptUntil = decision.expires
    if decision.onlyAfterAcceptance, !afterAcceptance {
      if let known = try file().stored(item.key) {
        throw VaultError(
          .duplicateItem, "an item with the same key exists already", candidates: [known])
      }
      return try addPending(item, decision)
    }
    switch decision.granted {
    case .none: return try storeNothing(item, decision)
    case .session: return StoreResult(try addToSession(item), decision)
    case .permanent: return StoreResult(try file().add(item), decision)
    }
  }

  /// Changes an item; if the changed item may not be kept where it is, it is stored as if it were
  /// added, and the old one stays.
  ///
  /// A replaced secret that cannot be restored takes the item's history with it.
  func modify(
    _ item: Item, _ changes: [ItemChange], revision: UInt64? = nil,
    afterAcceptance: Bool, removal: Removal = .recoverable
  ) throws(VaultError) -> StoreResult {
    let requested = item.persistence
    for change in changes { try change.validate(for: item.key.itemClass) }
    // Read before the session is locked: a holder of the file's lock asks for the session's, and
    // never the other way round.
    let policy = try policy()
    let hasSecret = changes.contains { $0.attribute == .secret }
    var decision = PersistencePolicy.Decision(requested: requested)
    var waits = false
    let modified = try modifyInStore(item, changes, revision: revision) {
      (new) throws(VaultError) in
      decision = try decide(
        new.key, requested: requested, since: new.secretChanged, needsPIN: new.needsPIN,
        under: policy)
      waits = decision.onlyAfterAcceptance && hasSecret && !afterAcceptance
      return decision.granted == requested && !waits ? .here(until: decision.expires) : .elsewhere
    }
    if modified.isReplaced, isPermanent(removal) {
      try store(requested).limitHistory(of: modified.item) { _ in Timestamp(milliseconds: 0) }
    } else if modified.isRenamed {
      // The policy for the new key also limits the item's previous secrets.
      try store(requested).limitHistory(of: modified.item) { set in
        policy.decide(modified.item.key, requested: requested, now: set).expires
      }
    }
    if waits {
      // Only the secret, and what belongs to it, has to be accepted.
      let others = changes.filter { !$0.isOfSecret && $0.attribute != .expires }
      _ = try modify(item, others, afterAcceptance: false)
    }
    if modified.isHere, decision.rule == nil {
      // Nothing was changed, or no rule matched.
      decision = policy.decide(
        modified.item.key, requested: requested, now: modified.item.secretChanged,
        needsPIN: modified.item.needsPIN)
    }
    return try withPortVariant(settle(modified, decision))
  }

  /// Stores an item that may not be kept where it was to be changed in the place that the policy
  /// grants.
  package func settle(
    _ modified: Modified, _ decision: PersistencePolicy.Decision
  ) throws(VaultError) -> StoreResult {
    guard !modified.isHere else { return StoreResult(modified.item, decision) }
    var new = modified.item
    new.keptUntil = decision.expires
    let stored =
      switch decision.granted {
      case .none: try storeNothing(new, decision)
      case .session: StoreResult(try shadow(new), decision)
      case .permanent: try addPending(new, decision)
      }
    return StoreResult(stored.item.withoutSecrets, decision, pending: stored.pending)
  }

  /// Stores an item, or changes the secret of the existing item for the same credential where it
  /// may be kept.
  ///
  /// `requestPath` is the path that was requested; nil if it is unknown.
  func set(
    _ item: Item, at requestPath: RequestPath?, requested: Persistence,
    afterAcceptance: Bool
  ) throws(VaultError) -> StoreResult {
    let decision = try decide(
      item.key, requested: requested, since: now, needsPIN: item.needsPIN)
    if decision.granted == .none { return try storeNothing(item, decision) }
    if decision.onlyAfterAcceptance, !afterAcceptance {
      var item = item
      item.keptUntil = decision.expires
      return try addPending(item, decision)
    }
    guard let known = try known(for: item, in: store(decision.granted), at: requestPath) else {
      return try add(item, requested: requested, afterAcceptance: afterAcceptance)
    }
    let changes = try renewing(known, secretChanges(from: item))
    return try modify(known, changes, afterAcceptance: afterAcceptance).asked(for: requested)
  }

  /// Sets the default user of a space, as strongly as the user's credential may be kept.
  func setDefaultUser(
    _ user: String, for space: ProtectionSpace, requested: Persistence, isMoving: Bool = false
  ) throws(VaultError) -> PersistencePolicy.Decision {
    let key = Item(space: space, account: user, secret: nil).key
    let decision = try decide(key, requested: requested, since: now)
    switch decision.granted {
    case .none: break
    case .session:
      try changeDefault(of: space) { () throws(VaultError) in
        try setSessionDefault(user, for: space)
      }
    case .permanent: try setPermanentDefault(user, for: space, isMoving: isMoving)
    }
    return decision
  }

  /// Holds an item in memory until a server has accepted it.
  func addPending(
    _ item: Item, _ decision: PersistencePolicy.Decision
  ) throws(VaultError) -> StoreResult {
    let session = session.own
    let waiting = try session.addPending(item, requested: decision.requested)
    onFailure(remove: { () throws(VaultError) in try session.removePending(waiting.id) })
    return StoreResult(
      waiting, decision,
      pending: PendingCredential(id: waiting.id, requested: decision.requested))
  }

  /// Stores nothing, as the policy decided.
  func storeNothing(
    _ item: Item, _ decision: PersistencePolicy.Decision
  ) throws(VaultError) -> StoreResult {
    var item = item
    // An item that could not be stored is an error even if nothing is stored.
    try item.validate()
    item.persistence = .none
    item.keptUntil = nil
    return StoreResult(item, decision)
  }
}
