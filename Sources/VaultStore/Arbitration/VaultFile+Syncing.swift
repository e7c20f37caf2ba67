import SealedTree
import VaultCrypto
import VaultModel

/// Getting what other replicas wrote.
extension VaultFile {
  /// Writes the rows of newer commits into the file, in a transaction of its own, once everything
  /// that they changed is verified.
  ///
  /// - Parameters:
  ///   - delta: The rows that the arbiter returned.
  ///   - known: The generation of the file that it was asked with.
  ///   - own: The state that this process wrote and the arbiter may have: its keys open a new
  ///     epoch.
  ///   - isTrial: Whether all is verified, and the file stays as it is.
  /// - Returns: Whether the file changed.
  /// - Throws: ``VaultError/Code/rolledBack`` if the arbiter has an older state;
  ///   ``VaultError/Code/forked`` if it has another history; ``VaultError/Code/damaged`` for rows
  ///   that are not the ones that its head names; ``VaultError/Code/locked`` if the vault was
  ///   rekeyed, and no key file opens it. The file is then unchanged.
  func sync(
    _ delta: RowDelta, after known: UInt64, having own: Unlocked? = nil, isTrial: Bool = false
  ) throws(VaultError) -> Bool {
    try requireNotOlder(delta, than: known)
    var state = (unlocked, ident, signer)
    // Usually nothing is new, and nobody needs to wait for that.
    if let now = unlocked, now.head.generation == known, delta.generation == known,
      delta.head.hasSameBytes(as: now.headRow)
    {
      return false
    }
    do throws(VaultError) {
      try connection.run(.beginImmediate)
      try loadHead()
      guard let (_, isOwn) = try take(delta, having: own), !isTrial else {
        rollBack()
        (unlocked, ident, signer) = state
        return false
      }
      try connection.run(.commit)
      if isOwn, let own { state = (own, own.keys.ident, signer) }
    } catch {
      rollBack()
      (unlocked, ident, signer) = state
      throw error
    }
    forgetLabel()
    // From the file, as any other process's commit: this opens a new epoch, records and announces.
    (unlocked, ident, signer) = state
    try read { (_) throws(VaultError) in }
    return true
  }

  /// Returns all rows, and the removal of others, for an arbiter whose older state they continue.
  ///
  /// - Throws: ``VaultError/Code/forked`` if they do not; as ``read(_:)``.
  func rows(succeeding old: RowDelta) throws(VaultError) -> RowDelta {
    try read { (reader) throws(VaultError) in
      let now = try requireUnlocked()
      guard old.generation < now.head.generation,
        try reader.knownTags(of: old.generation, in: now.head).contains(Tag(ofSealed: old.head))
      else { throw Self.otherHistory(old.generation) }
      let rows = try connection.allRows()
      let own = Dictionary(grouping: rows, by: \.table).mapValues { Set($0.map(\.id)) }
      let removed = old.rows.lazy.filter { own[$0.table]?.contains($0.id) != true }
      return RowDelta(
        generation: now.head.generation, ident: now.keys.ident.encoded, head: now.headRow,
        rows: rows + removed.map { RowDelta.Entry($0.table, $0.id, nil) })
    }
  }

  func requireNotOlder(_ delta: RowDelta, than known: UInt64) throws(VaultError) {
    guard delta.generation >= known else {
      throw VaultError(
        .rolledBack,
        "the fleet's server is at generation \(delta.generation), and this replica at \(known)"
      ).about(.arbiter)
    }
  }

  /// Writes the rows of newer commits in the open transaction, whose head was loaded, and verifies
  /// everything that they changed.
  ///
  /// - Returns: The state with them, which is not the current one yet, and whether it is what this
  ///   process wrote; nil if nothing is new.
  /// - Throws: As ``sync(_:after:having:)``. The transaction is then to be rolled back, and the
  ///   state that this object had to be restored.
  func take(
    _ delta: RowDelta, having own: Unlocked? = nil
  ) throws(VaultError) -> (after: Unlocked, isOwn: Bool)? {
    let before = try requireUnlocked()
    guard delta.generation > before.head.generation else {
      // Another process was faster, or there is nothing new.
      guard delta.generation < before.head.generation || delta.head == before.headRow else {
        throw Self.otherHistory(delta.generation)
      }
      return nil
    }
    try requireSlots(in: delta, following: before)
    let removals = delta.isWhole ? try connection.removals(of: delta.rows) : []
    let (rows, replaced) = try connection.differing(delta.rows + removals)
    let hasOtherSlots = before.head.roster != nil && rows.contains { $0.table == .slot }
    let known = KnownCommit(before, slots: try hasOtherSlots ? slotRows() : nil)
    try connection.put(rows)
    try connection.run(.updateIdent, .blob(delta.ident), .blob(delta.head))
    let isOwn = delta.ident != before.keys.ident.encoded && delta.ident == own?.keys.ident.encoded
    if isOwn { unlocked = own }
    let tree = EarlierTree(before.head, before.keys, replaced: replaced)
    return (try verified(delta, rows: rows, following: before, known: known, tree: tree), isOwn)
  }

  /// Takes rows of newer commits in the open transaction of this machine's own change.
  ///
  /// - Returns: The state before, which is to be restored if the transaction fails; nil if nothing
  ///   is new.
  /// - Throws: As ``take(_:having:)``.
  func takeInPassing(_ delta: RowDelta) throws(VaultError) -> Unlocked? {
    let before = try requireUnlocked()
    guard let (after, _) = try take(delta) else { return nil }
    clock.advance(to: after.head.committed)
    unlocked = after
    return before
  }

  /// Takes rows of newer commits after the change in whose transaction they were was not made, so
  /// that this machine sees why.
  func take(_ delta: RowDelta?, apartFrom before: Unlocked) {
    unlocked = before
    guard let delta else { return }
    do throws(VaultError) {
      _ = try sync(delta, after: before.head.generation)
    } catch {
      // The file is merely old, and the caller has an error already.
    }
  }

  /// Requires the slots of a new key among the rows.
  ///
  /// A rekey writes all of them, so where there are none, it was before the file's own generation,
  /// and in another history. Without them, that would look like a key that opens nothing.
  private func requireSlots(
    in delta: RowDelta, following before: Unlocked
  ) throws(VaultError) {
    let now = try Ident(decoding: delta.ident, knowing: chain.features)
    guard now.epoch > before.keys.ident.epoch, !delta.rows.contains(where: { $0.table == .slot })
    else { return }
    throw Self.otherHistory(before.head.generation)
  }

  /// Verifies what is in the open transaction, and returns its state; `rows` are those that differ
  /// from before.
  private func verified(
    _ delta: RowDelta, rows: [RowDelta.Entry], following before: Unlocked, known: KnownCommit,
    tree: EarlierTree
  ) throws(VaultError) -> Unlocked {
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
    let slots = try slotRows()
    guard after.keys.authenticate(slots: slots) == after.head.slots else {
      throw VaultError(.damaged, "the slots are not the ones that the head names")
    }
    try checkCommits(of: after, slots: slots, following: known)
    after.reader.root = after.head.directory
    let isRekeyed = after.keys.ident.epoch != before.keys.ident.epoch
    try after.reader.check(rows, of: after.head, since: isRekeyed ? nil : tree)
    return after
  }
}

extension TreeReader {
  /// Checks the rows that came from an arbiter, as ``check(written:removed:of:since:)`` says.
  func check(
    _ rows: [RowDelta.Entry], of head: Head, since old: EarlierTree?
  ) throws(VaultError) {
    let nodes = rows.filter { $0.table == .node }
    try check(
      written: Set(nodes.lazy.filter { $0.sealed != nil }.map(\.id)),
      removed: Set(nodes.lazy.filter { $0.sealed == nil }.map(\.id)), of: head, since: old)
  }
}
