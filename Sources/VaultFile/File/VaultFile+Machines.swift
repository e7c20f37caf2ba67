import SealedTree
package import VaultCrypto
import VaultModel

/// The machines of a vault, each with a slot of its own that an admin signed.
///
/// Source: `Documentation/format.md` §4.4.
extension VaultFile {
  /// Checks that the admin key signed the machines' slots, and that it is the one that this machine
  /// was joined to.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if they are not signed; ``VaultError/Code/anotherVault``
  ///   if another admin signed them.
  func checkRoster(_ roster: Roster?, _ rows: [SlotRow], of ident: Ident) throws(VaultError) {
    guard Self.isSigned(rows, by: roster, of: ident), roster != nil || pinnedAdmin == nil else {
      throw VaultError(.damaged, "the slots of the vault's machines are not those that were signed")
    }
    guard let pinnedAdmin, roster?.admin != pinnedAdmin else { return }
    throw VaultError(
      .anotherVault,
      "\(path.path) has machines of another admin than the one that this machine was joined to")
  }

  /// Returns whether the machines among the slots are those of a signature; without one, there must
  /// be none.
  package static func isSigned(_ rows: [SlotRow], by roster: Roster?, of ident: Ident) -> Bool {
    let machines = machines(among: rows)
    return roster?.isValid(machines, of: ident) ?? machines.isEmpty
  }

  /// Returns the rows of machines' slots.
  static func machines(among rows: [SlotRow]) -> [SlotRow] {
    rows.filter { $0.body.first == Slot.Kind.machine.rawValue }
  }

  /// Returns the signature of the machines after a change.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if they were changed by somebody who cannot sign
  ///   them.
  static func roster(
    after old: [SlotRow], _ new: [SlotRow], of now: Unlocked, _ signer: AdminSecret?
  ) throws(VaultError) -> Roster? {
    let (before, after) = (machines(among: old), machines(among: new))
    guard !before.elementsEqual(after, by: { $0.id == $1.id && $0.body == $1.body }) else {
      return now.head.roster
    }
    guard let signer, now.head.roster.map({ $0.admin == signer.key }) ?? before.isEmpty else {
      throw notAdmin
    }
    return signer.sign(after, of: now.keys.ident)
  }

  static var notAdmin: VaultError {
    VaultError(.invalidArgument, "only the key of an admin's machine changes a vault's machines")
  }

  /// Returns who signs a commit with a machine's key; nil for other keys, and other machines.
  static func commitSigner(
    _ key: UnlockKey, among rows: [SlotRow]
  ) throws(VaultError) -> CommitSigner? {
    for row in machines(among: rows) {
      let slot = try Slot(decoding: row.body, id: row.id)
      if let signer = CommitSigner(key, of: slot) { return signer }
    }
    return nil
  }

  /// Requires that a machine signs the next commit, if a fleet's vault has machines.
  ///
  /// - Throws: ``VaultError/Code/readOnly``.
  func requireSigner(_ signer: CommitSigner?, of now: Unlocked) throws(VaultError) {
    guard now.head.roster != nil, signer == nil else { return }
    throw VaultError(
      .readOnly,
      "\(path.path) has machines, which alone write it: open it with a machine's key file")
  }

  static func requireNoMachine(_ row: SlotRow) throws(VaultError) {
    guard machines(among: [row]).isEmpty else {
      throw VaultError(
        .invalidArgument,
        "slot \(row.id) is a machine's: an admin drops it with a new key for the vault")
    }
  }

  /// Returns the admin key's secret half, if the machine holds it.
  static func signer(
    _ key: UnlockKey, among rows: [SlotRow]
  ) throws(VaultError) -> AdminSecret? {
    guard case .machine(let machine) = key else { return nil }
    for row in machines(among: rows) {
      let slot = try Slot(decoding: row.body, id: row.id)
      guard let part = slot.machine, part.publicKey == machine.publicKey else { continue }
      return AdminSecret(in: part, for: machine)
    }
    return nil
  }

  /// Adds the slot of a machine under the lowest free id, and signs all.
  ///
  /// - Parameters:
  ///   - publicKey: The machine's public keys.
  ///   - name: Its name, which no other machine has.
  ///   - isAdmin: Whether it shall hold the admin key too.
  ///   - committer: Signs the commit in a fleet's vault; nil for the machine that opened it.
  ///   - signer: Returns the admin key's secret half.
  /// - Returns: The slot.
  /// - Throws: ``VaultError/Code/duplicateItem`` if the vault has the machine or one of the name;
  ///   ``VaultError/Code/invalidArgument`` for a name that is empty or too long, too many machines,
  ///   or without a signer; as ``write(_:)``.
  func addMachine(
    _ publicKey: MachinePublicKey, name: String, isAdmin: Bool,
    committer: ([SlotRow]) throws(VaultError) -> CommitSigner?,
    signer: ([SlotRow]) throws(VaultError) -> AdminSecret?
  ) throws(VaultError) -> Slot {
    let rows = try slotRows()
    guard let admin = try signer(rows) else { throw Self.notAdmin }
    let commits = try committer(rows)
    return try changeSlots(.slotAdded, signer: admin, committer: commits) {
      (rows, keys) throws(VaultError) in
      let machines = try Self.machines(among: rows).map { (row) throws(VaultError) in
        try Slot(decoding: row.body, id: row.id)
      }
      guard !name.isEmpty, machines.count < SlotLimits.mostMachines else {
        throw VaultError(
          .invalidArgument, "a vault has at most \(SlotLimits.mostMachines) machines, with names")
      }
      for slot in machines where slot.name == name || slot.machine?.publicKey == publicKey {
        throw VaultError(.duplicateItem, "the vault has the machine \(slot.name) already")
      }
      let first = rows.firstIndex { $0.id >= SlotLimits.firstMachine } ?? rows.count
      let index =
        (first..<rows.count).first { index in
          rows[index].id != SlotLimits.firstMachine + UInt32(index - first)
        } ?? rows.count
      let slot = try Slot(
        forMachine: publicKey, share: isAdmin ? admin.share(for: publicKey) : nil, to: keys,
        id: SlotLimits.firstMachine + UInt32(index - first), name: name, created: clock.now())
      rows.insert((slot.id, slot.encoded), at: index)
      return slot
    }
  }
}
