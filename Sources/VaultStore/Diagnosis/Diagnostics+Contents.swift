import VaultReports
import SealedTree
import VaultCrypto
import VaultModel

/// Checks of the file's contents: format, structure, slots, and with a key the sealed data.
extension Diagnostics {
  mutating func examineContents(
    of connection: Connection, at place: VaultPath
  ) throws(VaultError) {
    var row: (ident: [UInt8], head: [UInt8])?
    try connection.run(.selectVault) { row = ($0.blob(0), $0.blob(1)) }
    guard let row else { throw VaultError(.damaged, "the vault's row is missing") }
    let ident = try Ident(decoding: row.ident)
    add(
      .format, .ok,
      "format \(ident.major).\(ident.minor), schema \(try connection.header().userVersion), "
        + "epoch \(ident.epoch)")
    try examineStructure(connection)
    let slots = try examineSlots(connection)
    let seen = RollbackRecord(folder: stateFolder, vault: ident.vaultID, at: place.path)
    let record = PlaceRecord(folder: stateFolder, at: place.path)
    examinePlace(record, ident)
    guard let key = key ?? Self.first(of: found, opening: slots.decoded, ident) else {
      examineWithoutKey(slots.decoded)
      examineMemory(seen, ident, nil)
      examineUnverified(seen, record, of: ident)
      return examineClock(committed: nil)
    }
    do throws(VaultError) {
      let keys = try Self.keys(for: key, slots.decoded, ident)
      let head = try Head(decoding: keys.open(row.head, as: .head, id: 0))
      guard head.ident == row.ident else {
        throw VaultError(.damaged, "the ident is not the one that the head names")
      }
      guard keys.authenticate(slots: slots.rows) == head.slots else {
        throw VaultError(.damaged, "the slots are not the ones that the head names")
      }
      add(
        .key, .ok,
        "the key opens the vault: generation \(head.generation), \(head.itemCount) item"
          + (head.itemCount == 1 ? "" : "s"))
      let recordKey = try keys.open(recordKey: head.recordKey)
      let reader = TreeReader(
        keys: keys, root: head.directory, rows: connection, clock: VaultClock(),
        beforeReading: { () throws(VaultError) in })
      examineMemory(seen, ident, (head, Tag(ofSealed: row.head), recordKey, reader))
      examineUnverified(seen, record, of: ident, key: recordKey)
      examineClock(committed: head.committed)
    } catch {
      if error.code == .locked {
        // One half of what a slot needs: neither the vault nor the half is wrong.
        add(
          .key, .note, "\(error.context); what is sealed was not looked at",
          remedy: .diagnoseWithBothKeys(
            missing: key.alone.kind == .passphrase ? .keyFile : .passphrase))
      } else {
        add(
          .key, error, remedy: error.code == .damaged ? .salvage : .listSlots
        )
      }
      examineMemory(seen, ident, nil)
      examineUnverified(seen, record, of: ident)
      examineClock(committed: nil)
    }
  }

  private mutating func examineWithoutKey(_ slots: [Slot]) {
    let rest = "; what is sealed was not looked at"
    if !slots.isEmpty, !slots.contains(where: { $0.kind == .passphrase }) {
      let fault = found.isEmpty ? "none was given or found" : "none that was found opens it"
      add(
        .key, .warning, "the vault opens with a key file, and \(fault)" + rest,
        remedy: .diagnoseWithKey)
    } else if !found.isEmpty {
      add(
        .key, .note, "no key that was found opens the vault" + rest, remedy: .diagnoseWithKey)
    }
  }

  private mutating func examineStructure(_ connection: Connection) throws(VaultError) {
    let faults = try connection.structureFaults()
    guard let fault = faults.first else {
      return add(.structure, .ok, "SQLite finds no fault with the file")
    }
    add(
      .structure,
      VaultError(.damaged, "SQLite finds \(faults.count) faults with the file, first: \(fault)"),
      remedy: .verify)
  }

  // MARK: Slots

  private typealias Slots = (rows: [(id: UInt32, body: [UInt8])], decoded: [Slot])

  private mutating func examineSlots(_ connection: Connection) throws(VaultError) -> Slots {
    var slots: Slots = ([], [])
    do throws(VaultError) {
      try connection.run(.selectSlots) { (row) throws(VaultError) in
        guard let id = UInt32(exactly: row.integer(0)) else {
          throw VaultError(.damaged, "the slots' ids are out of bounds")
        }
        guard slots.rows.count < SlotLimits.mostSlots + SlotLimits.mostMachines else {
          throw VaultError(.damaged, "there are more slots than a vault has")
        }
        slots.rows.append((id, row.blob(1)))
      }
      try SlotLimits.check(VaultFile.readable(slots.rows))
    } catch {
      add(.slots, error, remedy: .restore)
      return slots
    }
    for row in slots.rows {
      do throws(VaultError) {
        let slot = try Slot(decoding: row.body, id: row.id)
        slots.decoded.append(slot)
        if let cost = slot.cost { examine(cost, of: slot) }
      } catch {
        add(.slots, error, remedy: .removeSlot(id: Int(row.id)))
      }
    }
    if slots.rows.isEmpty {
      add(.slots, VaultError(.damaged, "the vault has no slots"))
    } else if !slots.decoded.contains(where: { $0.kind == .recoveryCode }) {
      add(
        .slots, .note, "there is no recovery code: if every other key is lost, so is the vault",
        remedy: .addRecoveryCode)
    } else {
      add(.slots, .ok, "\(slots.rows.count) slots, a recovery code among them")
    }
    return slots
  }

  private mutating func examine(_ cost: PassphraseCost, of slot: Slot) {
    let text = "slot \(slot.id): \(cost.passes) passes over \(cost.memoryKiB / 1024) MiB"
    let memory = AvailableMemory()
    let needed = UInt64(cost.memoryKiB) * 1024
    if let total = memory.total, total < needed {
      add(
        .passphraseCost,
        VaultError(.outOfMemory, "\(text), and \(total >> 20) MiB are available"),
        remedy: .raiseMemoryLimit)
    } else if cost.isBelow(.policy) {
      add(
        .passphraseCost, .warning, "\(text): cheaper to guess than it should be",
        remedy: .changePassphrase)
    } else if let free = memory.withoutSwap, free < needed {
      add(
        .passphraseCost, .warning, "\(text), and only \(free >> 20) MiB are free without swapping"
      )
    } else {
      add(.passphraseCost, .ok, text)
    }
  }

  /// Returns the first key that opens a slot or is one half of what a slot needs; nil if none is.
  private static func first(
    of keys: [UnlockKey], opening slots: [Slot], _ ident: Ident
  ) -> UnlockKey? {
    keys.first { key in
      do throws(VaultError) {
        _ = try Self.keys(for: key, slots, ident)
        return true
      } catch {
        return error.code != .authenticationFailed
      }
    }
  }

  /// Returns the epoch's keys from the first slot that opens.
  private static func keys(
    for key: UnlockKey, _ slots: [Slot], _ ident: Ident
  ) throws(VaultError) -> EpochKeys {
    var failure = VaultError(.authenticationFailed, "the key opens no slot")
    if !slots.contains(where: { $0.takes(key) }),
      let missing = slots.lazy.compactMap({ $0.missing(beside: key) }).first
    {
      throw missing
    }
    for slot in slots where slot.takes(key) {
      do throws(VaultError) {
        return try slot.open(with: key, idents: [ident])
      } catch {
        if error.code != .authenticationFailed { failure = error }
      }
    }
    throw failure
  }
}
