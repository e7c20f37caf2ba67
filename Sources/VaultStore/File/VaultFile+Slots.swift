import Glibc
import SealedTree
package import VaultCrypto
package import VaultModel
import VaultReports

/// Changes of the slots, each in one transaction with the head that verifies them.
///
/// Source: `Documentation/format.md` §4.1.
extension VaultFile {
  package typealias SlotRow = (id: UInt32, body: [UInt8])

  static var noSlot: VaultError { VaultError(.itemNotFound, "the vault has no slot with this id") }

  /// Returns the slots, each verified by its checksum.
  package func slots() throws(VaultError) -> [Slot] {
    try slotRows().map { (row) throws(VaultError) in
      try Slot(decoding: row.body, id: row.id)
    }
  }

  /// Returns the slots' rows; some may be damaged, but their number and cost are within the limits
  /// for tries.
  package func slotRows() throws(VaultError) -> [SlotRow] {
    var rows: [SlotRow] = []
    try connection.run(.selectSlots) { (row) throws(VaultError) in
      try Self.append(row.integer(0), row.blob(1), to: &rows)
    }
    try SlotLimits.check(Self.readable(rows))
    return rows
  }

  private static func append(
    _ number: UInt64, _ body: [UInt8], to rows: inout [SlotRow]
  ) throws(VaultError) {
    guard let id = UInt32(exactly: number), id > 0,
      rows.count < SlotLimits.mostSlots + SlotLimits.mostMachines,
      body.count <= SlotLimits.mostBytes
    else { throw VaultError(.damaged, "the slots' ids or lengths are out of bounds") }
    rows.append((id, body))
  }

  /// Returns the slots among rows that are in no file yet, as ``slotRows()`` does.
  static func slotRows(among entries: [RowDelta.Entry]) throws(VaultError) -> [SlotRow] {
    var rows: [SlotRow] = []
    for entry in entries where entry.table == .slot {
      if let body = entry.sealed { try append(entry.id, body, to: &rows) }
    }
    try SlotLimits.check(readable(rows))
    return rows
  }

  /// Returns the slots whose rows are not damaged.
  package static func readable(_ rows: [SlotRow]) -> [Slot] {
    rows.compactMap { row in
      do throws(VaultError) {
        return try Slot(decoding: row.body, id: row.id)
      } catch {
        return nil
      }
    }
  }

  /// Checks the structure of the slots' table, because lost rows must not look like a wrong key.
  func checkSlotTable() throws(VaultError) {
    guard try !slotRows().isEmpty else { throw VaultError(.damaged, "the vault has no slots") }
    guard try connection.structureFaults(.checkSlots).isEmpty else {
      throw VaultError(.damaged, "the slots' table is damaged")
    }
  }

  /// Returns the slots as the head verifies them.
  func authenticSlots() throws(VaultError) -> [Slot] {
    // Otherwise, rows that were changed under an unchanged head would be trusted.
    forgetLabel()
    return try read { (_) throws(VaultError) in
      try slots(authenticSlotRows(requireUnlocked()))
    }
  }

  func authenticSlotRows(_ now: Unlocked) throws(VaultError) -> [SlotRow] {
    let rows = try slotRows()
    // Also before every change, which would otherwise authenticate a slot that somebody restored.
    guard now.keys.authenticate(slots: rows) == now.head.slots else {
      throw VaultError(.damaged, "the slots are not the ones that the head names")
    }
    return rows
  }

  /// Changes the slots' rows, which stay in ascending order of id, and commits them with a new
  /// head.
  ///
  /// - Parameters:
  ///   - operation: The operation for the log.
  ///   - committer: Signs the commit in a fleet's vault; nil for the machine that opened it.
  ///   - change: Changes the rows.
  /// - Returns: The result of `change`.
  /// - Throws: The errors of `change`; as ``write(_:)``.
  func changeSlots<R>(
    _ operation: LoggedChange.Operation, committer: CommitSigner? = nil,
    _ change: (inout SlotChange) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    var result: R?
    let committer = committer ?? self.signer
    try inTransaction(signedBy: committer) { (now, connection) throws(VaultError) in
      let old = try authenticSlotRows(now)
      var new = SlotChange(rows: old, keys: now.keys, roster: now.head.roster)
      result = try change(&new)
      // Of thousands of machines' slots, a fleet's server gets those that are touched here.
      let (gone, changed) = Self.difference(of: new.rows, from: old)
      for row in gone { try connection.run(.deleteSlot, .integer(UInt64(row.id))) }
      for row in changed {
        try connection.run(.insertSlot, .integer(UInt64(row.id)), .blob(row.body))
      }
      let editor = TreeEditor(base: now.reader, head: now.head)
      editor.head.slots = now.keys.authenticate(slots: new.rows)
      editor.head.roster = try Self.roster(after: old, new)
      let transaction = FileTransaction(editor)
      for row in changed.isEmpty ? gone : changed {
        try transaction.log(operation, name: Self.name(of: row))
      }
      try transaction.settleLog()
      let written = try editor.write(
        previous: now.headTag, to: connection, now: transaction.now, signedBy: committer)
      return (now, written.head, written.sealed)
    }
    guard let result else { throw VaultError(.internalError, "the transaction did not run") }
    return result
  }

  /// Returns the rows of some slots that are not among others as they are, and those of the others
  /// that are not among them.
  private static func difference(
    of new: [SlotRow], from old: [SlotRow]
  ) -> (gone: [SlotRow], written: [SlotRow]) {
    func changed(_ rows: [SlotRow], since others: [SlotRow]) -> [SlotRow] {
      let known = Dictionary(others.map { ($0.id, $0.body) }) { first, _ in first }
      return rows.filter { known[$0.id] != $0.body }
    }
    return (changed(old, since: new), changed(new, since: old))
  }

  /// Returns the name of a slot, or its number if it has none.
  private static func name(of row: SlotRow) -> String {
    let name = readable([row]).first?.name ?? ""
    return name.isEmpty ? "\(row.id)" : name
  }

  /// Adds a slot under the lowest free id.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the maximum number is reached, or the name is
  ///   too long; as ``write(_:)``.
  func addSlot(_ key: DerivedKey, name: String) throws(VaultError) -> Slot {
    try changeSlots(.slotAdded) { (slots) throws(VaultError) in
      let present = try self.slots(slots.rows)
      guard present.count(where: { $0.kind != .machine }) < SlotLimits.mostSlots else {
        throw VaultError(.invalidArgument, "a vault has at most \(SlotLimits.mostSlots) slots")
      }
      guard key.cost == nil || present.count(where: \.hasKDF) < SlotLimits.mostCostlySlots else {
        throw VaultError(
          .invalidArgument,
          "a vault has at most \(SlotLimits.mostCostlySlots) slots for passphrases")
      }
      try Self.requireRoom(for: key, beside: present)
      // The machines' slots have higher ids.
      let index = slots.rows.indices.first { slots.rows[$0].id != $0 + 1 } ?? slots.rows.count
      let slot = try Slot(wrapping: slots.keys, with: key, id: UInt32(index + 1), name: name)
      slots.rows.insert((slot.id, slot.encoded), at: index)
      return slot
    }
  }

  /// Removes a slot.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/invalidArgument`` for the last
  ///   slot of a known kind; as ``write(_:)``.
  func removeSlot(_ id: UInt32) throws(VaultError) {
    try changeSlots(.slotRemoved) { (slots) throws(VaultError) in
      try Self.requireNoMachine(slots.rows.remove(at: try Self.index(of: id, in: slots.rows)))
      guard try self.slots(slots.rows).contains(where: \.kind.isKnown) else {
        throw VaultError(
          .invalidArgument, "it is the last slot, and without it nobody could open the vault")
      }
    }
  }

  /// Renames a slot.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/invalidArgument`` if the name is
  ///   too long; as ``write(_:)``.
  func renameSlot(_ id: UInt32, to name: String) throws(VaultError) -> Slot {
    try changeSlots(.slotChanged) { (slots) throws(VaultError) in
      let index = try Self.index(of: id, in: slots.rows)
      try Self.requireNoMachine(slots.rows[index])
      slots.rows[index].body = try Slot.renamed(slots.rows[index].body, id: id, to: name)
      return try Slot(decoding: slots.rows[index].body, id: id)
    }
  }

  /// Wraps the vault key again in a slot that was opened; id and name stay.
  ///
  /// - Parameters:
  ///   - slot: The slot at the time when it was opened.
  ///   - key: The new key of the slot.
  ///   - created: The time when its key was set; nil for now.
  /// - Returns: The changed slot.
  /// - Throws: ``VaultError/Code/conflict`` if the slot was changed meanwhile; as ``write(_:)``.
  func replace(
    _ slot: Slot, with key: DerivedKey, created: Timestamp? = nil
  ) throws(VaultError) -> Slot {
    try changeSlots(.slotChanged) { (slots) throws(VaultError) in
      guard let index = slots.rows.firstIndex(where: { $0.id == slot.id }),
        slots.rows[index].body == slot.encoded
      else {
        throw VaultError(.conflict, "slot \(slot.id) was changed meanwhile")
      }
      try Self.requireRoom(for: key, beside: self.slots(slots.rows).filter { $0.id != slot.id })
      let new = try Slot(
        wrapping: slots.keys, with: key, id: slot.id, name: slot.name,
        created: created ?? clock.now())
      slots.rows[index].body = new.encoded
      return new
    }
  }

  /// Checks that all slots together stay within the cost limit.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if they would cost more than may be tried.
  private static func requireRoom(
    for key: DerivedKey, beside others: [Slot]
  ) throws(VaultError) {
    guard let cost = key.cost, cost.work > SlotLimits.mostWork - SlotLimits.work(of: others) else {
      return
    }
    throw VaultError(
      .invalidArgument,
      "all slots together may cost \(SlotLimits.mostWork >> 20) GiB × passes, and the others leave less"
    )
  }

  private func slots(_ rows: [SlotRow]) throws(VaultError) -> [Slot] {
    try rows.map { (row) throws(VaultError) in try Slot(decoding: row.body, id: row.id) }
  }

  private static func index(of id: UInt32, in rows: [SlotRow]) throws(VaultError) -> Int {
    guard let index = rows.firstIndex(where: { $0.id == id }) else { throw noSlot }
    return index
  }
}

// MARK: Costs

extension VaultFile {
  /// Wraps the slot of a passphrase again if trying it costs less than it should.
  ///
  /// The cost in the file is not a request: the new cost is this machine's. Nothing is lowered. A
  /// slot is left unchanged if the machine lacks the memory, or if the vault's other slots leave no
  /// room for the cost. A failure to write it is not an error, and there is no waiting for locks.
  ///
  /// - Throws: Only errors that any next operation would have: ``VaultError/Code/locked`` after a
  ///   rekey elsewhere, ``VaultError/Code/damaged``, ``VaultError/Code/rolledBack``,
  ///   ``VaultError/Code/forked``, ``VaultError/Code/vaultNotFound``.
  func raise(
    _ slot: Slot, openedBy key: UnlockKey, to minimum: PassphraseCost
  ) throws(VaultError) {
    guard let cost = slot.cost, cost.isBelow(minimum), minimum.fits(AvailableMemory()),
      // The slots of a fleet are also for other machines.
      !ident.isArbitrated, !connection.isReadOnly, unsafe access(path.folder, W_OK) == 0
    else { return }
    do throws(VaultError) {
      let calibrated = try PassphraseCost.calibrated()
      let wanted = cost.raised(to: calibrated.isBelow(minimum) ? minimum : calibrated)
      let others = try slots().filter { $0.id != slot.id }
      guard let new = SlotLimits.fitting(wanted, beside: others), cost.isBelow(new),
        new.memoryKiB >= cost.memoryKiB
      else { return }
      let derived = try DerivedKey(key, for: slot.kind, cost: new)
      try connection.withoutWaiting { () throws(VaultError) in
        _ = try replace(slot, with: derived, created: slot.created)
      }
    } catch {
      switch error.code {
      case .locked, .damaged, .rolledBack, .forked, .vaultNotFound: throw error
      // Busy, read-only, a full disk, no memory: the slot stays as it was.
      default: return
      }
    }
  }
}

/// The slots of a vault while they are changed.
struct SlotChange {
  /// In ascending order of id.
  var rows: [VaultFile.SlotRow]
  let keys: EpochKeys
  /// The signature of the machines among the former slots.
  let roster: Roster?
  /// Signs the machines; only needed if their slots are changed.
  var signer: AdminSecret?
}
