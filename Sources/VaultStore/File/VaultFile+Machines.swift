import VaultReports
import SealedTree
package import VaultCrypto
import VaultModel

/// The machines of a vault, each with a slot of its own that an admin signed.
///
/// Source: `Documentation/format.md` §4.4.
extension VaultFile {
  /// Checks that the admin key signed the machines' slots, and that it is one that this machine was
  /// joined to.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if they are not signed; ``VaultError/Code/anotherVault``
  ///   if another admin signed them.
  func checkRoster(_ roster: Roster?, _ rows: [SlotRow], of ident: Ident) throws(VaultError) {
    guard Self.isSigned(rows, by: roster, of: ident), roster != nil || signer == nil else {
      throw VaultError(.damaged, "the slots of the vault's machines are not those that were signed")
    }
    guard let signer, !signer.key.believes(roster?.admins) else { return }
    throw VaultError(
      .anotherVault,
      "\(path.path) has machines of an admin that this machine was not joined to")
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
    after old: [SlotRow], _ new: SlotChange
  ) throws(VaultError) -> Roster? {
    let (before, after) = (machines(among: old), machines(among: new.rows))
    guard !before.elementsEqual(after, by: { $0.id == $1.id && $0.body == $1.body }) else {
      return new.roster
    }
    guard let signer = new.signer, new.roster != nil || before.isEmpty else { throw notAdmin }
    let admins = new.roster?.admins ?? AdminChain(signer.key)
    guard admins.present == signer.key else { throw notAdmin }
    return Roster(signing: after, of: new.keys.ident, by: signer, as: admins)
  }

  static var notAdmin: VaultError {
    VaultError(
      .invalidArgument,
      "only the key of an admin's machine changes a vault's machines; if none is left, a rekey with a"
        + " key that is no machine's ends them all")
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
        "slot \(row.id) is a machine's: an admin removes it with a new key for the vault")
    }
  }

  /// Returns the present admin key's secret half, if the machine holds it.
  static func signer(
    _ key: UnlockKey, among rows: [SlotRow], of roster: Roster?
  ) throws(VaultError) -> AdminSecret? {
    guard case .machine(let machine) = key, let roster else { return nil }
    for row in machines(among: rows) {
      let slot = try Slot(decoding: row.body, id: row.id)
      guard let part = slot.machine, part.publicKey == machine.publicKey else { continue }
      return AdminSecret(in: part, for: machine, of: roster.admins)
    }
    return nil
  }

  /// Adds the slots of machines under the lowest free ids, in one commit, and signs all.
  ///
  /// - Parameters:
  ///   - new: The machines, whose keys and names no other machine has.
  ///   - committer: The admin's machine, which signs the commit in a fleet's vault.
  ///   - signer: Returns the admin key's secret half.
  /// - Returns: The slots, in the same order.
  /// - Throws: ``VaultError/Code/duplicateItem`` if the vault has one of the machines or names;
  ///   ``VaultError/Code/invalidArgument`` for a name that is empty or too long, too many machines,
  ///   or without a signer; as ``write(_:)``.
  func addMachines(
    _ new: [NewMachine], committer: CommitSigner?,
    signer: (SlotChange) throws(VaultError) -> AdminSecret?
  ) throws(VaultError) -> [Slot] {
    guard let committer else { throw Self.notAdmin }
    return try changeSlots(.slotAdded, committer: committer) { (slots) throws(VaultError) in
      guard let admin = try signer(slots) else { throw Self.notAdmin }
      slots.signer = admin
      let machines = try Self.machines(among: slots.rows).map { (row) throws(VaultError) in
        try Slot(decoding: row.body, id: row.id)
      }
      guard !new.contains(where: \.name.isEmpty),
        machines.count + new.count <= SlotLimits.mostMachines
      else {
        throw VaultError(
          .invalidArgument, "a vault has at most \(SlotLimits.mostMachines) machines, with names")
      }
      var names = Set(machines.map(\.name))
      var publicKeys = Set(machines.compactMap(\.machine?.publicKey))
      // Also those of slots of an unknown kind.
      let used = Set(slots.rows.map(\.id))
      var id = SlotLimits.firstMachine
      var added: [Slot] = []
      for machine in new {
        guard publicKeys.insert(machine.publicKey).inserted, names.insert(machine.name).inserted
        else {
          let known = machines.first { $0.machine?.publicKey == machine.publicKey }?.name
          throw VaultError(
            .duplicateItem, "the vault has the machine \(known ?? machine.name) already")
        }
        while used.contains(id) { id += 1 }
        added.append(
          try Slot(
            forMachine: machine.publicKey,
            share: machine.isAdmin ? admin.share(for: machine.publicKey) : nil, to: slots.keys,
            id: id, name: machine.name, created: clock.now()))
        id += 1
      }
      slots.rows += added.map { ($0.id, $0.encoded) }
      slots.rows.sort { $0.id < $1.id }
      return added
    }
  }
}

/// A machine that an admin admits.
package struct NewMachine: Sendable {
  package let publicKey: MachinePublicKey
  package let name: String
  /// Whether it shall hold the admin key too.
  package let isAdmin: Bool

  package init(_ publicKey: MachinePublicKey, name: String, isAdmin: Bool) {
    (self.publicKey, self.name, self.isAdmin) = (publicKey, name, isAdmin)
  }
}
