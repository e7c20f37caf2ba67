import SealedTree
import VaultCrypto
import VaultModel

/// A new epoch's keys and slots, derived before any lock is taken, because passphrases are slow.
///
/// A slot is kept if its own key is given, since nothing else can wrap the new vault key for it.
/// The slots of machines need no key of theirs, but the signature of an admin.
struct RekeyPlan {
  let old: Ident
  /// The previous slots; a rekey over changed ones would lose a user's slot.
  let rows: [VaultFile.SlotRow]
  let keys: EpochKeys
  let slots: [Slot]
  /// The admin key's signature of the machines, with a new admin key if one of an admin is removed;
  /// nil without any.
  let roster: Roster?
  /// The admin's machine that signs the commit; nil without machines.
  let committer: CommitSigner?

  /// The slots that were removed by request, and those whose keys were not given.
  var removedSlots: [UInt32] {
    let kept = Set(slots.map(\.id))
    return rows.map(\.id).filter { !kept.contains($0) }
  }

  /// Creates a new vault key and wraps it.
  ///
  /// - Parameters:
  ///   - old: The current epoch.
  ///   - rows: The current slots.
  ///   - oldRoster: The signature of the machines among them.
  ///   - offered: The keys of the slots to keep.
  ///   - removed: The ids of the slots to remove, whatever opens them.
  ///   - cost: The cost of the passphrase slots; nil calibrates it, if there are any.
  ///   - otherKey: Returns the key of a slot that none of these opens; nil removes the slot.
  /// - Throws: ``VaultError/Code/authenticationFailed`` if a key opens no slot;
  ///   ``VaultError/Code/itemNotFound`` if no slot has the id of one to remove;
  ///   ``VaultError/Code/invalidArgument`` if no slot is left, or a key opens only slots to remove;
  ///   ``VaultError/Code/damaged``, ``VaultError/Code/outOfMemory``, and the errors of `otherKey`.
  init(
    old: Ident, rows: [VaultFile.SlotRow], roster oldRoster: Roster?, keeping offered: [UnlockKey],
    removing removed: Set<UInt32> = [], cost: PassphraseCost?,
    otherKey: (Slot) throws(VaultError) -> UnlockKey?
  ) throws(VaultError) {
    guard removed.isSubset(of: rows.map(\.id)) else { throw VaultFile.noSlot }
    self.old = old
    self.rows = rows
    keys = EpochKeys(VaultKey(), ident: try old.successor())
    var unused = Set(offered.indices)
    var cost = cost
    var slots: [Slot] = []
    var signer: AdminSecret?
    var committer: CommitSigner?
    for key in offered where signer == nil {
      signer = try VaultFile.signer(key, among: rows, of: oldRoster)
      if signer != nil { committer = try VaultFile.commitSigner(key, among: rows) }
    }
    // The machine that is removed knows the admin key.
    let isAdminRemoved = VaultFile.readable(rows.filter { removed.contains($0.id) })
      .contains { $0.machine?.isAdmin == true }
    let newAdmin = isAdminRemoved ? AdminSecret() : nil
    for row in rows where !removed.contains(row.id) {
      let slot = try Slot(decoding: row.body, id: row.id)
      if signer != nil, let machine = slot.machine {
        for index in offered.indices where slot.takes(offered[index]) { unused.remove(index) }
        slots.append(try Slot(renewing: slot, machine: machine, sharing: newAdmin, to: keys))
        continue
      }
      var key: UnlockKey?
      for index in offered.indices where key == nil {
        guard try Self.opens(slot, offered[index], old) else { continue }
        key = offered[index]
        unused.remove(index)
      }
      if key == nil, slot.kind == .both {
        // A passphrase from one and the key file from another: they were given separately.
        for pair in Self.pairs(of: offered) where key == nil {
          guard try Self.opens(slot, pair.key, old) else { continue }
          key = pair.key
          unused.subtract(pair.indices)
        }
      }
      if key == nil, let other = try otherKey(slot) {
        if try Self.opens(slot, other, old) { key = other }
        for index in offered.indices
        where key == nil && slot.kind == .both && other.kind == .passphrase
          && offered[index].kind == .keyFile
        {
          let pair = Self.pair(other, offered[index])
          guard try Self.opens(slot, pair, old) else { continue }
          key = pair
          unused.remove(index)
        }
        guard key != nil else { throw Self.wrongKey }
      }
      guard let key else { continue }
      guard slot.kind != .machine else { throw VaultFile.notAdmin }
      if cost == nil, slot.kind.hasPassphrase { cost = try Self.share(of: rows) }
      slots.append(try Slot(renewing: slot, for: key, to: keys, cost: cost ?? .policy))
      guard SlotLimits.work(of: slots) <= SlotLimits.mostWork else {
        throw VaultError(
          .invalidArgument,
          "all slots together may cost \(SlotLimits.mostWork >> 20) GiB × passes, and these cost more"
        )
      }
    }
    for index in unused.sorted() {
      try Self.requireUse(
        of: offered[index], old, in: rows, removing: removed, kept: Set(slots.map(\.id)))
    }
    guard !slots.isEmpty else {
      throw VaultError(.invalidArgument, "without any slot nobody could open the vault")
    }
    self.slots = slots
    let machines = slots.filter { $0.kind == .machine }.map { ($0.id, $0.encoded) }
    self.committer = committer
    guard !machines.isEmpty, let signer, var admins = oldRoster?.admins else {
      roster = nil
      return
    }
    if let newAdmin { try admins.append(newAdmin.key, from: keys.ident, signedBy: signer) }
    roster = Roster(signing: machines, of: keys.ident, by: newAdmin ?? signer, as: admins)
  }

  /// Accepts an unused key if it opens a slot that another key also opened.
  private static func requireUse(
    of key: UnlockKey, _ ident: Ident, in rows: [VaultFile.SlotRow], removing removed: Set<UInt32>,
    kept: Set<UInt32>
  ) throws(VaultError) {
    var error = wrongKey
    for row in rows where kept.contains(row.id) || removed.contains(row.id) {
      guard try opens(Slot(decoding: row.body, id: row.id), key, ident) else { continue }
      if kept.contains(row.id) { return }
      error = VaultError(
        .invalidArgument, "the key of slot \(row.id) was given, which is to be removed")
    }
    throw error
  }

  /// Returns each passphrase with each key file among those that were given.
  private static func pairs(of keys: [UnlockKey]) -> [(key: UnlockKey, indices: [Int])] {
    keys.indices.filter { keys[$0].kind == .passphrase }.flatMap { passphrase in
      keys.indices.filter { keys[$0].kind == .keyFile }.map { file in
        (pair(keys[passphrase], keys[file]), [passphrase, file])
      }
    }
  }

  private static func pair(_ passphrase: UnlockKey, _ file: UnlockKey) -> UnlockKey {
    .both(passphrase, SecondHalf { file })
  }

  /// Returns this machine's calibrated cost, limited to an equal share for all slots.
  private static func share(of rows: [VaultFile.SlotRow]) throws(VaultError) -> PassphraseCost {
    let costly = max(1, VaultFile.readable(rows).count(where: \.hasKDF))
    return try .calibrated().limited(to: SlotLimits.mostWork / costly) ?? .policy
  }

  private static func opens(
    _ slot: Slot, _ key: UnlockKey, _ ident: Ident
  ) throws(VaultError) -> Bool {
    guard slot.takes(key) else { return false }
    do throws(VaultError) {
      _ = try slot.open(with: key, idents: [ident])
      return true
    } catch {
      guard error.code == .authenticationFailed else { throw error }
      return false
    }
  }

  private static var wrongKey: VaultError {
    VaultError(.authenticationFailed, "a key was given that opens no slot")
  }
}
