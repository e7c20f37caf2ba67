import VaultCrypto
import VaultModel

/// A new vault key and epoch, and everything sealed anew.
extension VaultFile {
  /// Rotates the vault key in one transaction.
  ///
  /// A slot is kept if one of the keys opens it, since only its own key can wrap the new vault key.
  ///
  /// - Parameters:
  ///   - offered: Keys of slots that are kept.
  ///   - dropped: The ids of slots that may go; a slot that is neither opened nor named here is an error.
  ///   - cost: Of the passphrase slots that are kept.
  ///   - progress: Called now and then with the share that is done, 0 to 1.
  /// - Returns: The ids of the slots that were dropped.
  /// - Throws: ``VaultError/Code/invalidArgument`` if a slot would be lost, or all;
  ///   ``VaultError/Code/authenticationFailed`` if a key opens no slot; ``VaultError/Code/conflict`` if slots or
  ///   key changed meanwhile; ``VaultError/Code/damaged``, and then nothing is changed; as ``write(_:)``.
  func rotate(
    keeping offered: [UnlockKey], dropping dropped: Set<UInt32>, cost: PassphraseCost,
    progress: (Double) -> Void
  ) throws(VaultError) -> [UInt32] {
    // The new ident is of the format as it is then.
    _ = try migrate()
    let old = try requireUnlocked()
    // Before the transaction: passphrases take their time.
    let rows = try slotRows()
    var ident = old.keys.ident
    ident.epoch += 1
    let new = EpochKeys(VaultKey(), ident: ident)
    let slots = try wrap(new, keeping: offered, dropping: dropped, cost: cost, rows)
    try inTransaction { (now, connection) throws(VaultError) in
      guard now.keys.ident == old.keys.ident,
        try slotRows().elementsEqual(rows, by: { $0.id == $1.id && $0.body == $1.body })
      else {
        throw VaultError(.conflict, "the vault's slots or its key were changed meanwhile")
      }
      var head = now.head
      try reseal(now, with: new, &head, progress)
      for row in rows { try connection.run(.deleteSlot, .integer(UInt64(row.id))) }
      for slot in slots {
        try connection.run(.insertSlot, .integer(UInt64(slot.id)), .blob(slot.encoded))
      }
      head.ident = ident.encoded
      head.slots = new.authenticate(slots: slots.map { ($0.id, $0.encoded) })
      head.succeed(now.headTag, at: .now())
      let sealed = new.seal(head.encoded, as: .head, id: 0)
      try connection.run(.updateIdent, .blob(head.ident), .blob(sealed))
      return (newlyUnlocked(new, now.keyFile), head, sealed)
    }
    let kept = Set(slots.map(\.id))
    return rows.map(\.id).filter { !kept.contains($0) }
  }

  /// The slots of the new epoch, each with its old id, name and kind.
  private func wrap(
    _ new: EpochKeys, keeping offered: [UnlockKey], dropping dropped: Set<UInt32>,
    cost: PassphraseCost, _ rows: [(id: UInt32, body: [UInt8])]
  ) throws(VaultError) -> [Slot] {
    var kept: [UInt32: Slot] = [:]
    for key in offered {
      let slot = try keys(for: key).slot
      kept[slot.id] = try Slot(renewing: slot, for: key, to: new, cost: cost)
    }
    let lost = rows.map(\.id).filter { kept[$0] == nil && !dropped.contains($0) }
    guard lost.isEmpty else {
      let ids = lost.map(String.init).joined(separator: ", ")
      throw VaultError(
        .invalidArgument, "slot \(ids) would be lost: give its key, or name it to be dropped")
    }
    let slots = kept.values.filter { !dropped.contains($0.id) }.sorted { $0.id < $1.id }
    guard !slots.isEmpty else {
      throw VaultError(.invalidArgument, "without any slot nobody could open the vault")
    }
    return slots
  }

  /// Writes every row anew; each one was verified before, so damage is never made good.
  private func reseal(
    _ now: Unlocked, with new: EpochKeys, _ head: inout Head, _ progress: (Double) -> Void
  ) throws(VaultError) {
    let builder = TreeBuilder(keys: new, nextTree: head.nextTree, connection: connection)
    var largeSecrets: Set<UInt64> = []
    let resealer = Resealer(old: now.keys, new: new) { [connection] (large) throws(VaultError) in
      largeSecrets.insert(large.id)
      let sealed = new.seal(try now.reader.secret(large), id: large.id)
      try connection.run(.insertNode, .integer(large.id), .blob(sealed))
      return ItemRecord.LargeSecret(
        id: large.id, tag: Tag(ofSealed: sealed), count: large.count)
    }
    let total = Double(max(1, head.itemCount))
    // Reading and sealing secrets is half of the work, writing the other.
    try now.reader.eachBucket { (content) throws(VaultError) in
      try resealer.reseal(&content)
      try builder.add(content)
      progress(min(0.5, Double(builder.itemCount) / total / 2))
    }
    guard builder.itemCount == head.itemCount else {
      throw VaultError(.damaged, "the vault does not have as many items as its head says")
    }
    try connection.run(.deleteTrees, .integer(NodeID.firstLargeSecret))
    var written = 0
    head.directory = try builder.write { count in
      written += count
      progress(min(1, 0.5 + Double(written) / total / 2))
    }
    head.nextTree = builder.nextTree
    var foreign: [UInt64] = []
    try connection.run(.selectLargeSecretIDs, .integer(NodeID.firstLargeSecret)) { row in
      if !largeSecrets.contains(row.integer(0)) { foreign.append(row.integer(0)) }
    }
    // Rows that nothing names would stay behind under the old key.
    for id in foreign { try connection.run(.deleteNode, .integer(id)) }
  }
}
