package import SealedTree
package import VaultCrypto
package import VaultModel
package import VaultReports

/// Creating a new vault key and epoch, and resealing everything.
extension VaultFile {
  /// Rekeys the vault in one transaction.
  ///
  /// - Parameters:
  ///   - plan: The new epoch.
  ///   - progress: Called occasionally with the completed share, 0 to 1.
  /// - Throws: ``VaultError/Code/conflict`` if slots or key changed since the plan was made;
  ///   ``VaultError/Code/damaged``, or the error of `progress`, and then nothing is changed; as
  ///   ``write(_:)``.
  func rekey(
    _ plan: RekeyPlan, progress: (Double) throws(VaultError) -> Void
  ) throws(VaultError) {
    try inTransaction(isRekey: true) { (now, connection) throws(VaultError) in
      let rows = try authenticSlotRows(now)
      guard now.keys.ident == plan.old,
        rows.elementsEqual(plan.rows, by: { $0.id == $1.id && $0.body == $1.body })
      else {
        throw VaultError(.conflict, "the vault's slots or its key were changed meanwhile")
      }
      // Old rows are removed by a walk over them.
      try connection.requireStructure()
      let new = plan.keys
      let slots: [SlotRow] = plan.slots.map { ($0.id, $0.encoded) }
      var head = try reseal(
        now, with: new, slots: slots, roster: plan.roster, logging: .rekeyed
      ) { (share) throws(VaultError) in
        try progress(share)
        // In a vault of this machine alone, there is none.
        try arbiter?.keepLock()
      }
      try head.succeed(now.headTag, at: clock.now(), sealing: new, to: connection)
      try head.complete(after: now.head, signedBy: plan.committer, sealing: new, to: connection)
      let sealed = new.seal(head.encoded, as: .head, id: 0)
      try connection.run(.updateIdent, .blob(head.ident), .blob(sealed))
      return (newlyUnlocked(new, now.keyFile), head, sealed)
    }
  }

  /// Reseals rows and slots with other keys, in a write transaction.
  ///
  /// The roster is the admin key's signature of the machines among the slots.
  ///
  /// - Returns: The head without a new generation, for the caller to seal and write with its ident.
  package func reseal(
    _ now: Unlocked, with new: EpochKeys, slots: [SlotRow], roster: Roster?,
    logging operation: LoggedChange.Operation? = nil,
    _ progress: (Double) throws(VaultError) -> Void
  ) throws(VaultError) -> Head {
    var head = now.head
    try reseal(now, with: new, &head, adding: entry(operation, to: head), progress)
    for row in try slotRows() { try connection.run(.deleteSlot, .integer(UInt64(row.id))) }
    for slot in slots {
      try connection.run(.insertSlot, .integer(UInt64(slot.id)), .blob(slot.body))
    }
    head.ident = new.ident.encoded
    head.slots = new.authenticate(slots: slots)
    head.roster = roster
    head.recordKey = new.seal(try now.requireRecordKey())
    return head
  }

  /// Returns the log's entry of an operation, as the content of a bucket; empty without one.
  private func entry(
    _ operation: LoggedChange.Operation?, to head: Head
  ) throws(VaultError) -> [UInt8] {
    guard let operation, head.logDays > 0 else { return [] }
    let change = LoggedChange(
      operation, time: clock.now(), generation: try head.nextGeneration, author: LogAuthor.current)
    return Record(kind: RecordKind.logEntry, body: LogRecord(change).body).encoded
  }

  /// Rewrites every row; each one was verified before, so damage never becomes valid data.
  private func reseal(
    _ now: Unlocked, with new: EpochKeys, _ head: inout Head, adding entry: [UInt8],
    _ progress: (Double) throws(VaultError) -> Void
  ) throws(VaultError) {
    let ancestors = try now.reader.ancestors(of: now.head)
    let commits = try now.reader.commits(before: now.head)
    let builder = TreeBuilder(keys: new, nextTree: head.nextTree, rows: connection)
    var largeSecrets: Set<UInt64> = []
    let resealer = Resealer(old: now.keys, new: new) { [connection] (large) throws(VaultError) in
      largeSecrets.insert(large.id)
      let sealed = new.seal(try now.reader.secret(large), id: large.id)
      try connection.put(sealed, under: large.id)
      return ItemRecord.LargeSecret(
        id: large.id, tag: Tag(ofSealed: sealed), count: large.count)
    }
    let total = Double(max(1, head.itemCount))
    // Reading and sealing secrets is half of the work, writing the other.
    try now.reader.eachBucket { (content) throws(VaultError) in
      try resealer.reseal(&content)
      try builder.add(content)
      try progress(min(0.5, Double(builder.itemCount) / total / 2))
    }
    guard builder.itemCount == head.itemCount else {
      throw VaultError(.damaged, "the vault does not have as many items as its head says")
    }
    try builder.add(entry)
    try connection.run(.deleteTrees, .integer(NodeID.firstLargeSecret))
    var written = 0
    head.directory = try builder.write { (count) throws(VaultError) in
      written += count
      try progress(min(1, 0.5 + Double(written) / total / 2))
    }
    head.nextTree = builder.nextTree
    var foreign: [UInt64] = []
    try connection.run(.selectLargeSecretIDs, .integer(NodeID.firstLargeSecret)) { row in
      if !largeSecrets.contains(row.integer(0)) { foreign.append(row.integer(0)) }
    }
    // Rows that nothing refers to would remain under the old key.
    for id in foreign { try connection.remove(id) }
    head.ancestors = try connection.put(ancestors, new)
    if let tag = try connection.put(commits, new) { head.commit?.relink(to: tag) }
  }
}

extension Slot {
  /// Returns whether this is a slot of the same name and kind that was made at the same time, and
  /// for the same machine, whatever key it wraps.
  fileprivate func isSame(as other: Slot) -> Bool {
    id == other.id && kind == other.kind && name == other.name && created == other.created
      && machine?.publicKey == other.machine?.publicKey
  }
}

extension VaultFile {
  /// Ends the signing by a machine that has no slot any more.
  fileprivate func forgetDroppedSigner(_ slots: [Slot]) {
    guard let key = signer?.key.publicKey, !slots.contains(where: { $0.machine?.publicKey == key })
    else { return }
    signer = nil
  }
}

extension FileStore {
  /// Creates a new vault key and reseals everything.
  ///
  /// - Parameters:
  ///   - keys: The keys of the slots to keep.
  ///   - removed: The ids of the slots to remove, whatever opens them.
  ///   - cost: The cost of the passphrase slots to keep; nil calibrates it.
  ///   - otherKey: Returns the key of a slot that none of these opens; nil removes the slot.
  ///   - progress: Called occasionally with the completed share, 0 to 1.
  /// - Returns: The new epoch, and the ids of the removed slots.
  /// - Throws: ``VaultError/Code/conflict`` if a slot to remove was changed; as ``RekeyPlan``
  ///   and ``VaultFile/rekey(_:progress:)``.
  package func rekey(
    keeping keys: [UnlockKey], removing removed: Set<UInt32> = [], cost: PassphraseCost?,
    otherKey: (Slot) throws(VaultError) -> UnlockKey?, progress: (Double) throws(VaultError) -> Void
  ) throws(VaultError) -> (epoch: UInt64, removedSlots: [UInt32]) {
    let before = try locked { (file) throws(VaultError) in
      VaultFile.readable(try file.slotRows())
    }
    // The plan is made for the slots that the other machines see.
    if try ident().isArbitrated { _ = try sync() }
    let now = try locked { (file) throws(VaultError) in
      // The new epoch's ident has the format that a write creates.
      _ = try file.migrate()
      return try file.read { (_) throws(VaultError) in
        let now = try file.requireUnlocked()
        return (ident: now.keys.ident, rows: try file.slotRows(), roster: now.head.roster)
      }
    }
    // The id of a machine that was removed elsewhere may be another one's now.
    let present = VaultFile.readable(now.rows)
    for slot in before where removed.contains(slot.id) {
      guard present.contains(where: { $0.isSame(as: slot) }) else {
        throw VaultError(.conflict, "a slot that is to be removed was changed meanwhile")
      }
    }
    let plan = try RekeyPlan(
      old: now.ident, rows: now.rows, roster: now.roster, keeping: keys, removing: removed,
      cost: cost, otherKey: otherKey)
    try writing { (file) throws(VaultError) in
      try file.connection.withLargeCache { () throws(VaultError) in
        try file.rekey(plan, progress: progress)
      }
      file.forgetDroppedSigner(plan.slots)
    }
    return (plan.keys.ident.epoch, plan.removedSlots)
  }
}
