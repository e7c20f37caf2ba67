package import SealedTree
package import VaultCrypto
package import VaultModel

/// From a key to the keys of the current epoch.
extension VaultFile {
  /// Tries a key on each slot of its kind, and unlocks the file with the result.
  ///
  /// - Parameters:
  ///   - key: The key that a person or a file offers; it is not kept.
  ///   - id: The only slot to try; nil tries all.
  ///   - keyFile: Reads the key again after a rekey by another process.
  /// - Returns: The slot that it opened.
  /// - Throws: As ``keys(for:id:)``; the errors of ``unlock(with:keyFile:as:)``.
  @discardableResult
  package func unlock(
    with key: UnlockKey, id: UInt32? = nil, keyFile: KeyFileReader? = nil
  ) throws(VaultError) -> Slot {
    try reloadIdent()
    let opened = try keys(for: key, id: id)
    try unlock(
      with: opened.keys, keyFile: keyFile, as: CommitSigner(key, of: opened.slot))
    return opened.slot
  }

  /// Returns the epoch's keys, and the slot that they are from.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` if the key opens none;
  ///   ``VaultError/Code/locked`` if it is only one half of what every possible slot needs;
  ///   ``VaultError/Code/damaged`` if it opens none and a slot is damaged;
  ///   ``VaultError/Code/outOfMemory``; ``VaultError/Code/itemNotFound`` if no slot has the id.
  package func keys(
    for key: UnlockKey, id: UInt32? = nil
  ) throws(VaultError) -> (keys: EpochKeys, slot: Slot) {
    let rows = try slotRows().filter { id == nil || $0.id == id }
    guard id == nil || !rows.isEmpty else { throw Self.noSlot }
    return try Self.keys(
      for: key, among: rows, of: ident,
      noKey: id.map { "the key does not open slot \($0)" }
        ?? "the vault has no slot for this kind of key", checking: checkSlotTable)
  }

  /// Tries a key on slots.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - rows: The slots that may be tried.
  ///   - ident: The ident.
  ///   - text: The text of the error if there is nothing to try.
  ///   - check: Called before a key is said to be wrong: lost rows must not look like it.
  /// - Returns: The keys of the ident's epoch, and the slot that they are from.
  /// - Throws: As ``keys(for:id:)``; the errors of `check`.
  static func keys(
    for key: UnlockKey, among rows: [SlotRow], of ident: Ident, noKey text: String,
    checking check: () throws(VaultError) -> Void
  ) throws(VaultError) -> (keys: EpochKeys, slot: Slot) {
    var failure = VaultError(.authenticationFailed, text)
    var (missing, hasTried) = (VaultError?.none, false)
    // Slots that need both come last: the other half may need a prompt.
    for (row, needsBoth) in rows.map({ ($0, false) }) + rows.map({ ($0, true) }) {
      do throws(VaultError) {
        let slot = try Slot(decoding: row.body, id: row.id)
        guard (slot.kind == .both) == needsBoth else { continue }
        missing = missing ?? slot.missing(beside: key)
        guard slot.takes(key) else { continue }
        hasTried = true
        return (try slot.open(with: key, idents: [ident]), slot)
      } catch {
        // Damage is more specific than "wrong", so it is kept, and so is a lack of memory.
        let isWrongKey = error.code == .authenticationFailed
        if !isWrongKey || failure.code == .authenticationFailed { failure = error }
      }
    }
    guard failure.code == .authenticationFailed else { throw failure }
    try check()
    guard let missing else { throw failure }
    // If a slot takes the key alone as well, a wrong key cannot be distinguished from half of a
    // right one.
    guard hasTried else { throw missing }
    throw VaultError(.authenticationFailed, "\(failure.context); \(missing.context)")
  }

  /// Unlocks the file with keys and verifies the head with them.
  ///
  /// - Parameters:
  ///   - keys: The keys of the file's epoch.
  ///   - keyFile: Unlocks the vault again automatically after a rekey elsewhere.
  ///   - machine: The machine whose key opened the vault; nil for other keys.
  /// - Throws: ``VaultError/Code/damaged``, ``VaultError/Code/rolledBack``,
  ///   ``VaultError/Code/forked``; ``VaultError/Code/anotherVault`` if another admin signed the
  ///   machines.
  package func unlock(
    with keys: EpochKeys, keyFile: KeyFileReader? = nil, as machine: CommitSigner? = nil
  ) throws(VaultError) {
    let (previous, before) = (unlocked, signer)
    // Another handle that opens it with a passphrase does not take the machine's key from this one.
    let isSame = previous?.keys.ident == keys.ident
    signer = machine ?? (isSame ? before : nil)
    unlocked = newlyUnlocked(keys, keyFile)
    do throws(VaultError) {
      try beginReading()
      endReading()
    } catch {
      endReading()
      lock()
      // A vault that was open stays open, so that its other users are not affected.
      (unlocked, signer) = (previous, before)
      throw error
    }
    if let previous { announce(since: previous.headTag) }
  }

  /// Unlocks the file with keys that a machine remembered, if they are those of its head and the
  /// head allows it.
  ///
  /// Only the name of the kernel's key says that they are this vault's, so a wrong key under that
  /// name does not mean that the vault is damaged.
  ///
  /// - Parameter find: Returns the keys of an ident, and the seconds for which they are still
  ///   remembered; nil for none.
  /// - Returns: False if the file stays as it was.
  /// - Throws: As ``unlock(with:keyFile:as:)``.
  func unlock(
    remembered find: (Ident) -> (keys: EpochKeys, seconds: UInt32)?
  ) throws(VaultError) -> Bool {
    try reloadIdent()
    guard let (keys, seconds) = find(ident), let head = try head(openedBy: keys),
      seconds <= head.mostRemembered ?? .max
    else { return false }
    do throws(VaultError) {
      try unlock(with: keys)
      return true
    } catch {
      // It was rekeyed at this moment.
      guard error.code == .locked else { throw error }
      return false
    }
  }

  /// Returns the head in the file; nil if it is sealed with other keys, or damaged.
  private func head(openedBy keys: EpochKeys) throws(VaultError) -> Head? {
    var sealed: [UInt8] = []
    try connection.run(.selectVault) { sealed = $0.blob(1) }
    do throws(VaultError) {
      return try Head(decoding: keys.open(sealed, as: .head, id: 0))
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }

  /// Tells observers that somebody else committed, if the head differs from the known one.
  func announce(since known: Tag) {
    guard !isSettling, known != .none, let tag = unlocked?.headTag, tag != known else { return }
    events?.post(.changedElsewhere)
  }

  /// Returns the unlocked state before its head is read.
  package func newlyUnlocked(_ keys: EpochKeys, _ keyFile: KeyFileReader?) -> Unlocked {
    let reader = TreeReader(
      keys: keys, root: Directory(), rows: connection, clock: clock
    ) {
      [unowned self] () throws(VaultError) in try requireTransaction()
    }
    return Unlocked(
      keys: keys, reader: reader, head: Head(ident: keys.ident, slots: []), headTag: .none,
      keyFile: keyFile)
  }

  /// Reads the ident again, because a rekey elsewhere created slots for a new epoch.
  func reloadIdent() throws(VaultError) {
    var bytes: [UInt8] = []
    try connection.run(.selectVault) { row in bytes = row.blob(0) }
    let now = try Ident(decoding: bytes, knowing: chain.features)
    guard now.vaultID == ident.vaultID else {
      throw VaultError(.damaged, "the ident is not the one that was opened")
    }
    ident = now
  }
}
