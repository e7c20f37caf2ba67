import SealedTree
import VaultCrypto
import VaultModel

/// Writing a replica of a fleet's vault: the arbiter stores a change first, the file after it.
///
/// Killed between the two, the file is merely old. The arbiter's lock always comes before the
/// file's, so that two writers never wait for each other; ``FileStore/writing(_:)`` also takes it
/// before the store's.
extension VaultFile {
  /// The partner that stores the rows of a transaction before the file does.
  enum Partner {
    /// With its lock taken, and rows of newer commits that the transaction takes first.
    case arbiter(any Arbiter, newer: RowDelta?)
    /// Gets the whole vault, of which it has nothing yet.
    case newArbiter(any Arbiter)

    /// The next step if the partner has a change, and the file cannot get it.
    var remainder: String {
      switch self {
      case .arbiter: "the fleet's server has the change, and this replica gets it with the next one"
      case .newArbiter: "the fleet's server has the vault: publish it there again"
      }
    }

    /// Ends a lock that was taken.
    func abandon() {
      if case .arbiter(let arbiter, _) = self { arbiter.abandon() }
    }

    /// The rows that the transaction takes before its own changes; nil for none.
    var newer: RowDelta? {
      if case .arbiter(_, let newer) = self { newer } else { nil }
    }
  }

  /// Returns the arbiter with its lock taken, and the file brought up to its state, or with the few
  /// rows for that; nil for a vault of this machine alone.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if no program is installed that asks it; as
  ///   ``Arbiter/begin(after:)`` and ``sync(_:after:having:)``.
  func lockedArbiter() throws(VaultError) -> Partner? {
    guard role != .draft, try requireUnlocked().keys.ident.isArbitrated else { return nil }
    let known = try generation()
    let (arbiter, delta) = try begunWrite(after: known)
    do throws(VaultError) {
      try requireNotOlder(delta, than: known)
      if delta.generation > known, try isSmall(delta) { return .arbiter(arbiter, newer: delta) }
      _ = try sync(delta, after: known)
    } catch {
      arbiter.abandon()
      throw error
    }
    return .arbiter(arbiter, newer: nil)
  }

  /// Returns the arbiter of the next write, to be asked before the store's lock is taken; nil if
  /// there is none to ask, also because the vault is locked.
  ///
  /// - Throws: As ``inTransaction(signedBy:isRekey:_:)`` before it begins.
  func arbiterToAsk() throws(VaultError) -> (any Arbiter)? {
    guard role != .draft, let unlocked, unlocked.keys.ident.isArbitrated else { return nil }
    try requireWritable()
    try checkName()
    return try requireArbiter()
  }

  /// Returns the arbiter with its lock taken, and what it has after a generation: what the store
  /// began for this write, or else what is begun here.
  private func begunWrite(
    after known: UInt64
  ) throws(VaultError) -> (any Arbiter, RowDelta) {
    if let begun {
      self.begun = nil
      // If the file is another one by now, and older, rows would be missing. And after a long
      // lookup of another thread, the arbiter may have ended the lock.
      if begun.known <= known, begun.isYoung { return (begun.arbiter, begun.delta) }
      begun.arbiter.abandon()
    }
    let arbiter = try requireArbiter()
    return (arbiter, try arbiter.begin(after: known))
  }

  /// Returns whether rows of newer commits can go into the transaction of the next change, instead
  /// of one of their own: others wait for this machine's disk then, since the lock is held.
  ///
  /// Not if they are many, since such a transaction is kept in memory, nor with new slots or keys.
  private func isSmall(_ delta: RowDelta) throws(VaultError) -> Bool {
    try delta.ident == requireUnlocked().keys.ident.encoded
      && delta.rows.allSatisfy { $0.table == .node }
      && delta.rows.reduce(0) { $0 + ($1.sealed?.count ?? 0) } <= Self.mostBytesInPassing
  }

  private static let mostBytesInPassing = 4 << 20

  /// Returns the generation that the file has now.
  func generation() throws(VaultError) -> UInt64 {
    try read { (_) throws(VaultError) in try requireUnlocked().head.generation }
  }

  func requireArbiter() throws(VaultError) -> any Arbiter {
    if let arbiter { return arbiter }
    let found = ArbiterProgram(path, of: ident.vaultID, lockTimeout: connection.lockTimeout)
    arbiter = found
    return found
  }

  /// Requires that the transaction has a partner if the vault needs one, in a transaction: it may
  /// have become a fleet's since.
  ///
  /// - Throws: ``VaultError/Code/busy``; ``VaultError/Code/unavailable`` if an arbiter may have the
  ///   vault, which would then be another one than the file.
  func requirePartner(_ partner: Partner?) throws(VaultError) {
    guard role != .draft, partner == nil else { return }
    guard try !requireUnlocked().keys.ident.isArbitrated else {
      throw VaultError(.busy, "the vault became a fleet's meanwhile")
    }
    try path.requireNotPublished()
  }

  // MARK: Storing

  /// Sends what a transaction wrote, and looks the outcome up if the answer is lost.
  ///
  /// - Returns: Whether the transaction is still open, to be committed. After a lookup, the file
  ///   has the change from the arbiter.
  /// - Throws: ``VaultError/Code/outcomeUnknown`` if the lookup also fails;
  ///   ``VaultError/Code/unavailable`` if nothing is stored.
  func store(
    _ written: Unlocked, _ recorder: RowRecorder, with partner: Partner
  ) throws(VaultError) -> Bool {
    var delta = RowDelta(
      generation: written.head.generation, ident: written.keys.ident.encoded,
      head: written.headRow, rows: [])
    switch partner {
    case .newArbiter(let arbiter):
      delta.rows = try connection.allRows()
      try arbiter.publish(delta)
    case .arbiter(let arbiter, _):
      do throws(VaultError) {
        delta.rows = try recorder.rows(in: connection)
        try arbiter.commit(delta)
      } catch {
        arbiter.abandon()
        guard error.code == .outcomeUnknown else { throw error }
        guard try isStored(written, arbiter) else {
          throw VaultError(
            .unavailable, "the connection was lost before the change was stored: \(error.context)")
        }
        return false
      }
    }
    return true
  }

  /// Rolls the transaction back, catches up, and returns whether the file has a head then, which
  /// somebody may have followed already.
  ///
  /// The arbiter's lock is awaited, since a commit that is still under way holds it: therefore
  /// without the file's.
  private func isStored(
    _ written: Unlocked, _ arbiter: any Arbiter
  ) throws(VaultError) -> Bool {
    rollBack()
    do throws(VaultError) {
      return try connection.withoutCancellation { () throws(VaultError) in
        let known = try requireUnlocked().head.generation
        let delta = try arbiter.begin(after: known)
        arbiter.abandon()
        _ = try sync(delta, after: known, having: written)
        return try read { (reader) throws(VaultError) in
          let now = try requireUnlocked()
          if now.headTag == written.headTag { return true }
          return try reader.knownTags(of: written.head.generation, in: now.head)
            .contains(written.headTag)
        }
      }
    } catch {
      throw VaultError(
        .outcomeUnknown,
        "the connection was lost during the commit, and whether it took place cannot be looked up: "
          + error.context)
    }
  }
}
