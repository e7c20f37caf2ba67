package import SealedTree
import VaultCrypto
package import VaultModel

/// Committing changes.
extension VaultFile {
  /// Runs `body` in one write transaction.
  ///
  /// If the body throws, or changes nothing, the file stays unchanged.
  ///
  /// - Throws: ``VaultError/Code/readOnly``; ``VaultError/Code/busy`` after the lock timeout;
  ///   ``VaultError/Code/outcomeUnknown`` if it is not known whether the commit happened.
  package func write<R>(_ body: (FileTransaction) throws(VaultError) -> R) throws(VaultError) -> R {
    var result: R?
    var changes: [VaultEvent] = []
    try inTransaction(signedBy: signer) { (now, connection) throws(VaultError) in
      let editor = TreeEditor(base: now.reader, head: now.head)
      let isObserved = events?.isObserved ?? false
      let transaction = FileTransaction(editor, policy: now.policy, isObserved: isObserved)
      result = try body(transaction)
      if let failure = editor.failure { throw failure }
      changes = transaction.events
      // Events in this case are only about the session.
      guard transaction.hasChanges else { return nil }
      try transaction.sweepInPassing()
      try transaction.settleLog()
      // An observer added meanwhile missed the first changes.
      if !isObserved { changes = [.changedElsewhere] }
      let written = try editor.write(
        previous: now.headTag, to: connection, now: transaction.now, signedBy: signer)
      var after = now
      after.policy = transaction.knownPolicy
      return (after, written.head, written.sealed)
    }
    events?.post(changes)
    guard let result else { throw VaultError(.internalError, "the transaction did not run") }
    return result
  }

  /// Runs `body` between the beginning of a write transaction and its commit.
  ///
  /// - Parameters:
  ///   - signer: The machine that signs the commit in a fleet's vault, if that has machines.
  ///   - isRekey: Whether nobody needs to sign, since the machines end with the commit.
  ///   - body: Gets the unlocked state, with the current head, and writes rows. It returns the
  ///     unlocked state after the commit, with the head that it wrote and its sealed row, or nil if
  ///     it changed nothing.
  /// - Throws: ``VaultError/Code/readOnly`` without a signer; the errors of `body`; as
  ///   ``write(_:)``.
  package func inTransaction(
    signedBy signer: CommitSigner? = nil, isRekey: Bool = false,
    _ body: (Unlocked, Connection) throws(VaultError) -> (Unlocked, Head, sealed: [UInt8])?
  ) throws(VaultError) {
    _ = try requireUnlocked()
    try requireWritable()
    try checkName()
    try inTransaction(with: lockedArbiter()) {
      (now, connection) throws(VaultError) in
      if role != .draft, now.keys.ident.isArbitrated, !isRekey {
        try requireSigner(signer, of: now)
      }
      return try body(now, connection)
    }
  }

  /// Runs `body` as ``inTransaction(signedBy:isRekey:_:)`` does, with the partner that stores the
  /// rows first.
  func inTransaction(
    with partner: Partner?,
    _ body: (Unlocked, Connection) throws(VaultError) -> (Unlocked, Head, sealed: [UInt8])?
  ) throws(VaultError) {
    guard let partner else { return try runTransaction(with: nil, body) }
    do throws(VaultError) {
      try connection.setSpilling(false)
    } catch {
      partner.abandon()
      throw error
    }
    defer {
      do throws(VaultError) {
        try connection.setSpilling(true)
      } catch {
        // Later transactions use more memory, and are otherwise the same.
      }
    }
    try runTransaction(with: partner, body)
  }

  private func runTransaction(
    with partner: Partner?,
    _ body: (Unlocked, Connection) throws(VaultError) -> (Unlocked, Head, sealed: [UInt8])?
  ) throws(VaultError) {
    let recorder = RowRecorder()
    let written: (Unlocked, Head, sealed: [UInt8])?
    var before: Unlocked?
    do throws(VaultError) {
      try connection.run(.beginImmediate)
      try loadHead()
      if let newer = partner?.newer { before = try takeInPassing(newer) }
      try requirePartner(partner)
      // A read never migrates; the first write does.
      let now = try migrated(requireUnlocked())
      if partner == nil {
        written = try body(now, connection)
      } else {
        written = try connection.recording(recorder) { () throws(VaultError) in
          try body(now, connection)
        }
      }
      if written == nil { try connection.run(.rollback) }
    } catch {
      partner?.abandon()
      rollBack()
      if let before { take(partner?.newer, apartFrom: before) }
      throw error
    }
    guard let written else {
      partner?.abandon()
      if let before { take(partner?.newer, apartFrom: before) }
      return
    }
    var unlocked = written.0
    unlocked.head = written.1
    // It never changes for a vault.
    unlocked.recordKey = try requireUnlocked().recordKey
    unlocked.headTag = Tag(ofSealed: written.sealed)
    unlocked.headRow = written.sealed
    unlocked.reader.root = unlocked.head.directory
    let hasTaken = before != nil
    // Until the commit, the file has what it had.
    if let before { self.unlocked = before }
    if let partner {
      do throws(VaultError) {
        guard try store(unlocked, recorder, with: partner) else { return }
      } catch {
        rollBack()
        throw error
      }
    }
    do throws(VaultError) {
      try commit(unlocked)
    } catch {
      guard let partner else { throw error }
      // Any other error would make the caller repeat it.
      throw VaultError(
        .outcomeUnknown, "\(partner.remainder): \(error.context)", underlying: error.underlying)
    }
    if hasTaken { events?.post(.changedElsewhere) }
  }

  func rollBack() {
    forgetLabel()
    guard connection.isInTransaction else { return }
    do throws(VaultError) {
      try connection.run(.rollback)
    } catch {
      // The connection rolls back at its end at the latest; without the label, the next read checks
      // the file.
      return
    }
  }

  /// Commits, and determines the outcome if that fails.
  private func commit(_ written: Unlocked) throws(VaultError) {
    // From here on, the file's first bytes are those of another commit.
    forgetLabel()
    // A caller that was cancelled meanwhile must also learn the outcome of a commit.
    try connection.withoutCancellation { () throws(VaultError) in
      do throws(VaultError) {
        try connection.run(.commit)
      } catch {
        rollBack()
        guard role != .draft, try wasCommitted(written, after: error) else { throw error }
      }
    }
    remember(written)
  }

  /// Returns whether a head reached the file although its commit reported a failure.
  private func wasCommitted(
    _ written: Unlocked, after failure: VaultError
  ) throws(VaultError) -> Bool {
    let before = unlocked
    // Anything found now is compared by the next read with the state known before, or with the
    // written one.
    isSettling = true
    defer {
      isSettling = false
      unlocked = before
      forgetLabel()
    }
    do throws(VaultError) {
      if try isRekeyed(to: written.keys.ident) { unlocked = written }
      return try read { (_) throws(VaultError) in
        let now = try requireUnlocked()
        return now.headTag == written.headTag || now.head.recent.contains(written.headTag)
      }
    } catch {
      throw VaultError(
        .outcomeUnknown, "the commit failed, and whether it took place cannot be read back",
        underlying: failure.underlying)
    }
  }

  /// Returns whether the file's ident is the written one, and not the previous one.
  private func isRekeyed(to ident: Ident) throws(VaultError) -> Bool {
    guard ident != self.ident else { return false }
    var bytes: [UInt8] = []
    try connection.run(.selectVault) { row in bytes = row.blob(0) }
    return bytes == ident.encoded
  }

  private func remember(_ written: Unlocked) {
    ident = written.keys.ident
    unlocked = written
    clock.advance(to: written.head.committed)
    do throws(VaultError) {
      try judge(written)
    } catch {
      // Another process committed after us and recorded it first: its generation is higher.
      return
    }
  }
}
