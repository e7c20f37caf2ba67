import SealedTree
import VaultCrypto
import VaultModel
import VaultSession

/// Writing a replica of a fleet's vault: the arbiter stores a change first, the file after it.
///
/// Killed between the two, the file is merely old. The arbiter's lock always comes before the
/// file's, so that two writers never wait for each other.
extension VaultFile {
  /// Who stores the rows of a transaction before the file does.
  enum Partner {
    case arbiter(any Arbiter)
    /// Gets the whole vault, of which it has nothing yet.
    case newArbiter(any Arbiter)

    /// Ends a lock that was taken.
    func abandon() {
      if case .arbiter(let arbiter) = self { arbiter.abandon() }
    }
  }

  /// Returns the arbiter with its lock taken and the file brought up to its state; nil for a vault
  /// of this machine alone.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` in a program that knows no arbiter; as
  ///   ``Arbiter/begin(after:)`` and ``catchUp(_:after:)``.
  func lockedArbiter() throws(VaultError) -> (any Arbiter)? {
    guard role != .draft, try requireUnlocked().keys.ident.isArbitrated else { return nil }
    let arbiter = try requireArbiter()
    let known = try generation()
    let delta = try arbiter.begin(after: known)
    do throws(VaultError) {
      _ = try catchUp(delta, after: known)
    } catch {
      arbiter.abandon()
      throw error
    }
    return arbiter
  }

  /// Returns the generation that the file has now.
  func generation() throws(VaultError) -> UInt64 {
    try read { (_) throws(VaultError) in try requireUnlocked().head.generation }
  }

  func requireArbiter() throws(VaultError) -> any Arbiter {
    if let arbiter { return arbiter }
    let found = try Arbiters.arbiter(
      of: path, ident.vaultID, lockTimeout: connection.lockTimeout)
    arbiter = found
    return found
  }

  /// Requires that the transaction has a partner if the vault needs one, in a transaction: it may
  /// have become a fleet's since.
  func requirePartner(_ partner: Partner?) throws(VaultError) {
    guard role != .draft, partner == nil, try requireUnlocked().keys.ident.isArbitrated else {
      return
    }
    throw VaultError(.busy, "the vault became a fleet's meanwhile")
  }

  // MARK: Storing

  /// Sends what a transaction wrote, and looks the outcome up if the answer is lost.
  ///
  /// - Throws: ``VaultError/Code/outcomeUnknown`` if that fails, too;
  ///   ``VaultError/Code/unavailable`` if nothing is stored.
  func store(
    _ written: Unlocked, _ recorder: RowRecorder, with partner: Partner
  ) throws(VaultError) {
    var delta = RowDelta(
      generation: written.head.generation, ident: written.keys.ident.encoded,
      head: written.headRow, rows: [])
    switch partner {
    case .newArbiter(let arbiter):
      delta.rows = try connection.allRows()
      try arbiter.publish(delta)
    case .arbiter(let arbiter):
      do throws(VaultError) {
        delta.rows = try recorder.rows(in: connection)
        try arbiter.commit(delta)
      } catch {
        arbiter.abandon()
        guard error.code == .outcomeUnknown else { throw error }
        guard try has(written, arbiter) else {
          throw VaultError(
            .unavailable, "the connection was lost before the change was stored: \(error.context)")
        }
      }
    }
  }

  /// Returns whether the arbiter has a head, which somebody may have followed already.
  ///
  /// Its lock is awaited: a commit that is still under way holds it.
  private func has(_ written: Unlocked, _ arbiter: any Arbiter) throws(VaultError) -> Bool {
    do throws(VaultError) {
      let now = try arbiter.begin(after: written.head.generation)
      arbiter.abandon()
      guard now.head != written.headRow else { return true }
      guard now.generation > written.head.generation else { return false }
      let head = try Head(decoding: written.keys.open(now.head, as: .head, id: 0))
      return head.recent.contains(written.headTag)
    } catch {
      throw VaultError(
        .outcomeUnknown,
        "the connection was lost during the commit, and whether it took place cannot be looked up: "
          + error.context)
    }
  }

  // MARK: Catching up

  /// Writes the rows of newer commits into the file, in a transaction of its own, once everything
  /// that they changed is verified.
  ///
  /// - Parameters:
  ///   - delta: The rows that the arbiter returned.
  ///   - known: The generation of the file that it was asked with.
  /// - Returns: Whether the file changed.
  /// - Throws: ``VaultError/Code/rolledBack`` if the arbiter has an older state;
  ///   ``VaultError/Code/forked`` if it has another history; ``VaultError/Code/damaged`` for rows
  ///   that are not the ones that its head names; ``VaultError/Code/locked`` if the vault was
  ///   rekeyed, and no key file opens it. The file is then unchanged.
  func catchUp(_ delta: RowDelta, after known: UInt64) throws(VaultError) -> Bool {
    guard delta.generation >= known else {
      throw VaultError(
        .rolledBack,
        "the fleet's server is at generation \(delta.generation), and this replica at \(known)")
    }
    let state = (unlocked, ident)
    do throws(VaultError) {
      try connection.run(.beginImmediate)
      try loadHead()
      let before = try requireUnlocked()
      guard delta.generation > before.head.generation else {
        // Another process was faster, or there is nothing new.
        guard delta.generation < before.head.generation || delta.head == before.headRow else {
          throw Self.otherHistory(delta.generation)
        }
        rollBack()
        return false
      }
      try connection.put(delta.rows)
      try connection.run(.updateIdent, .blob(delta.ident), .blob(delta.head))
      try verify(delta, following: before)
      try connection.run(.commit)
    } catch {
      rollBack()
      (unlocked, ident) = state
      throw error
    }
    forgetLabel()
    // From the file, as any other process's commit: this opens a new epoch, records and announces.
    (unlocked, ident) = state
    try read { (_) throws(VaultError) in }
    return true
  }

  private static func otherHistory(_ generation: UInt64) -> VaultError {
    VaultError(
      .forked,
      "the fleet's server has another history than this replica at generation \(generation)")
  }

  /// Verifies rows that are in the open transaction: the head, and every node that differs from the
  /// ones before.
  private func verify(_ delta: RowDelta, following before: Unlocked) throws(VaultError) {
    let after = try openedHead().0
    guard after.head.generation == delta.generation else {
      throw VaultError(.damaged, "the fleet's server names another generation than its head")
    }
    let seen = RollbackRecord.Memory(
      epoch: before.keys.ident.epoch, generation: before.head.generation, head: before.headTag)
    let verdict = try RollbackRecord.verdict(
      on: after.head, tag: after.headTag, epoch: after.keys.ident.epoch, seen: seen
    ) { (generation) throws(VaultError) in
      try after.reader.knownTags(of: generation, in: after.head)
    }
    guard verdict == nil else { throw Self.otherHistory(delta.generation) }
    // Also if the head names the same slots as before.
    guard after.keys.authenticate(slots: try slotRows()) == after.head.slots else {
      throw VaultError(.damaged, "the slots are not the ones that the head names")
    }
    after.reader.root = after.head.directory
    let isRekeyed = after.keys.ident.epoch != before.keys.ident.epoch
    // Also if they are not needed yet: a block that is withheld now would be missed later.
    if after.head.ancestors != before.head.ancestors {
      _ = try after.reader.ancestors(
        of: after.head, from: isRekeyed ? 0 : before.head.generation)
    }
    let changed = Set(delta.rows.lazy.filter { $0.table == .node }.map(\.id))
    try after.reader.checkChanges(
      since: isRekeyed ? nil : before.head.directory, changed: isRekeyed ? nil : changed)
  }
}
