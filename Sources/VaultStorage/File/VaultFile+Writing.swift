import VaultCrypto
import VaultModel

/// Committed changes.
extension VaultFile {
  /// Runs `body` in one write transaction.
  ///
  /// A body that throws, or changes nothing, leaves the file untouched.
  ///
  /// - Throws: ``VaultError/Code/readOnly``; ``VaultError/Code/busy`` after the lock timeout;
  ///   ``VaultError/Code/outcomeUnknown`` if it cannot be told whether the commit happened.
  func write<R>(_ body: (FileTransaction) throws(VaultError) -> R) throws(VaultError) -> R {
    _ = try requireUnlocked()
    guard !connection.isReadOnly else {
      throw VaultError(.readOnly, "\(path.path) cannot be written")
    }
    try checkName()
    try connection.run(.beginImmediate)
    let commit: (head: Head, sealed: [UInt8])
    let result: R
    do throws(VaultError) {
      try loadHead()
      let unlocked = try requireUnlocked()
      let editor = TreeEditor(base: unlocked.reader, head: unlocked.head)
      result = try body(FileTransaction(editor))
      if let failure = editor.failure { throw failure }
      guard editor.hasChanges else {
        try connection.run(.rollback)
        return result
      }
      let written = try editor.write(
        previous: unlocked.headTag, to: connection, now: .now())
      commit = written
    } catch {
      rollBack()
      throw error
    }
    try self.commit(commit.head, commit.sealed)
    return result
  }

  private func rollBack() {
    forgetLabel()
    guard connection.isInTransaction else { return }
    do throws(VaultError) {
      try connection.run(.rollback)
    } catch {
      // The connection rolls back at its end at the latest; the label is gone, so the next read looks.
      return
    }
  }

  /// Commits, and finds out what happened if that fails.
  private func commit(_ head: Head, _ sealed: [UInt8]) throws(VaultError) {
    // The file's first bytes are another commit's from here on.
    forgetLabel()
    do throws(VaultError) {
      try connection.run(.commit)
    } catch {
      rollBack()
      guard try wasCommitted(Tag(ofSealed: sealed), after: error) else { throw error }
    }
    try remember(head, sealed)
  }

  /// Looks up whether a head reached the file although its commit reported a failure.
  private func wasCommitted(
    _ tag: Tag, after failure: VaultError
  ) throws(VaultError) -> Bool {
    do throws(VaultError) {
      return try read { (_) throws(VaultError) in
        let now = try requireUnlocked()
        return now.headTag == tag || now.head.recent.contains(tag)
      }
    } catch {
      throw VaultError(
        .outcomeUnknown, "the commit failed, and whether it took place cannot be read back",
        underlying: failure.underlying)
    }
  }

  private func remember(_ head: Head, _ sealed: [UInt8]) throws(VaultError) {
    guard var unlocked else { return }
    let tag = Tag(ofSealed: sealed)
    unlocked.headRow = sealed
    unlocked.head = head
    unlocked.headTag = tag
    unlocked.reader.root = head.directory
    self.unlocked = unlocked
    do throws(VaultError) {
      try seen.judge(head, tag: tag, epoch: unlocked.keys.ident.epoch)
    } catch {
      // Another process committed after us and was quicker to remember: its generation is higher.
      return
    }
  }
}
