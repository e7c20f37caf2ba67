import SealedTree
import VaultCrypto
package import VaultModel

/// Verifying who made the commits of a fleet's vault, and that each follows the one before.
///
/// The vault's key proves only "a member": with it alone, a member could write in the name of
/// another, and a machine that was removed could go on. Source: `Documentation/format.md` §7.2.
extension VaultFile {
  /// The state of the file before commits came.
  struct KnownCommit {
    let head: Head
    let headTag: Tag
    let epoch: UInt64
    let isArbitrated: Bool
    /// Its slots; nil if they are the same now, or it had no machines.
    let slots: [SlotRow]?

    init(_ known: Unlocked, slots: [SlotRow]?) {
      (head, headTag, epoch) = (known.head, known.headTag, known.keys.ident.epoch)
      isArbitrated = known.keys.ident.isArbitrated
      self.slots = slots
    }
  }

  /// Returns the names of the machines among slots that made some commits, by their keys.
  static func names(
    ofMachinesOf commits: [PastCommit], among rows: [SlotRow]
  ) throws(VaultError) -> [MachinePublicKey: String] {
    let wanted = Set(commits.compactMap(\.commit.machine))
    var names: [MachinePublicKey: String] = [:]
    // Of thousands, only these are decoded.
    for row in rows where Slot.machineKey(in: row.body).map(wanted.contains) == true {
      let slot = try Slot(decoding: row.body, id: row.id)
      if let machine = slot.machine { names[machine.publicKey] = slot.name }
    }
    return names
  }

  /// Verifies the kept commits of a file that is being read, of which nothing is known yet; a vault
  /// of one machine alone has none.
  ///
  /// - Throws: ``VaultError/Code/damaged``.
  package func checkCommits() throws(VaultError) {
    let now = try requireUnlocked()
    guard now.keys.ident.isArbitrated else { return }
    try checkCommits(of: now, slots: slotRows(), following: nil)
  }

  /// Verifies the commits that lead to a head.
  ///
  /// - Parameters:
  ///   - now: The state with the head.
  ///   - slots: Its slots.
  ///   - known: The former state of the file; nil for a new replica.
  /// - Throws: ``VaultError/Code/forked`` if they do not follow from what the file was;
  ///   ``VaultError/Code/damaged`` if they are not linked, or not signed by those who may.
  func checkCommits(
    of now: Unlocked, slots: [SlotRow], following known: KnownCommit?
  ) throws(VaultError) {
    let vault = now.keys.ident.vaultID
    let before = known?.head.generation ?? 0
    let older = try now.reader.commits(before: now.head, from: before)
    let commits = [PastCommit(of: now.head)] + older.filter { $0.generation > before }
    for (commit, previous) in zip(commits, older) where commit.generation > before {
      guard commit.commit.link == previous.hash(of: vault) else {
        throw VaultError(
          .damaged, "the commit of generation \(commit.generation) is not linked to the one before")
      }
    }
    if let known, let oldest = commits.last { try checkStart(oldest, of: now, following: known) }
    let machines = try Self.names(ofMachinesOf: commits, among: slots)
    let others = try Self.names(ofMachinesOf: commits, among: known?.slots ?? [])
    try checkSigners(of: commits, now, machines, before: others, following: known)
    if let known { try checkMachines(slots, of: now, following: known) }
  }

  /// Checks that machines were only added without a new key, and that none lost its share of the
  /// admin key without a new one.
  ///
  /// A member could write an older roster of the epoch again, and so make an admin's machine one
  /// whose removal needs no new admin key.
  private func checkMachines(
    _ slots: [SlotRow], of now: Unlocked, following known: KnownCommit
  ) throws(VaultError) {
    guard let earlier = known.slots, known.head.roster?.admins == now.head.roster?.admins else {
      return
    }
    let (before, after) = (Self.machines(among: earlier), Self.machines(among: slots))
    let isKept: Bool
    if known.epoch < now.keys.ident.epoch {
      let admins = try Self.admins(among: after)
      isKept = try Self.admins(among: before).isSubset(of: admins)
    } else {
      let bodies = Dictionary(
        after.map { ($0.id, $0.body) }, uniquingKeysWith: { first, _ in first })
      isKept = before.allSatisfy { bodies[$0.id] == $0.body }
    }
    guard !isKept else { return }
    // A copy from before the fleet may be of another history: a restore brings older machines back.
    guard known.isArbitrated else { throw Self.otherHistory(known.head.generation) }
    throw VaultError(.damaged, "a machine, or an admin's share, ended without a new key")
  }

  /// Returns the machines that hold the admin key.
  private static func admins(
    among machines: [SlotRow]
  ) throws(VaultError) -> Set<MachinePublicKey> {
    var admins: Set<MachinePublicKey> = []
    for row in machines {
      guard let machine = try Slot(decoding: row.body, id: row.id).machine, machine.isAdmin else {
        continue
      }
      admins.insert(machine.publicKey)
    }
    return admins
  }

  /// Checks that the first new commit follows the head that the file had.
  private func checkStart(
    _ oldest: PastCommit, of now: Unlocked, following known: KnownCommit
  ) throws(VaultError) {
    let own = PastCommit(of: known.head)
    if oldest.commit.previous == own.generation {
      guard oldest.commit.link == own.hash(of: now.keys.ident.vaultID) else {
        throw Self.otherHistory(own.generation)
      }
      return
    }
    if oldest.commit.previous > own.generation {
      // Of older commits no rows are kept, but for 65,536 the tags of heads are. A signed commit
      // that says it is many generations later, and names no head before, would get past both.
      let tags = try now.reader.knownTags(of: own.generation, in: now.head)
      guard tags.contains(known.headTag) else { throw Self.otherHistory(own.generation) }
      return
    }
    // A copy from before the fleet knows no commits of it.
    guard oldest.commit.previous == 0, !known.isArbitrated else {
      throw Self.otherHistory(own.generation)
    }
  }

  /// Checks that each of some commits in a row, the newest first, is signed by one who might.
  private func checkSigners(
    of commits: [PastCommit], _ now: Unlocked, _ machines: [MachinePublicKey: String],
    before others: [MachinePublicKey: String], following known: KnownCommit?
  ) throws(VaultError) {
    let admins = now.head.roster?.admins
    let isRekeyed = known.map { $0.epoch < now.keys.ident.epoch } ?? true
    let knownAdmins = known?.head.roster?.admins
    let isContinued = knownAdmins.map { admins?.continues($0) == true } ?? true
    guard isRekeyed || knownAdmins == nil || knownAdmins == admins else {
      throw VaultError(.damaged, "the machines ended, or have another admin, without a new key")
    }
    // A machine that was an admin's knows its key, and could name a successor of its own.
    // Machines that begin anew have new admin keys. Whoever knows an old one could also put a key
    // of his own before it.
    if let known, let knownAdmins, let admins, !isContinued,
      !admins.keys.isDisjoint(with: knownAdmins.keys)
    {
      throw Self.otherHistory(known.head.generation)
    }
    // Machines end with a rekey by somebody who is not an admin; other machines have other admins.
    let mayBeUnsigned = knownAdmins == nil || isRekeyed && !isContinued
    var isUnsigned = false
    for (index, commit) in commits.enumerated() {
      let isHead = index == 0
      guard let machine = commit.commit.machine else {
        // The head that was published is from before the vault was a fleet's: nobody signed then.
        let isPublished = known?.isArbitrated == false && commit.commit.previous == 0
        guard isHead ? admins == nil : mayBeUnsigned || isPublished else {
          throw Self.notSigned(commit)
        }
        isUnsigned = true
        continue
      }
      // From the newest on: once the vault had machines, they alone wrote it.
      let name = machines[machine] ?? (isHead ? nil : others[machine])
      guard commit.isSigned(of: now.keys.ident.vaultID),
        isHead ? admins != nil : isRekeyed || !isUnsigned,
        name.map({ $0 == commit.commit.name }) ?? (isRekeyed && !isHead)
      else { throw Self.notSigned(commit) }
    }
  }

  private static func notSigned(_ commit: PastCommit) -> VaultError {
    VaultError(
      .damaged,
      "the commit of generation \(commit.generation) is not signed by one of the vault's machines")
  }

  static func otherHistory(_ generation: UInt64) -> VaultError {
    VaultError(
      .forked,
      "the fleet's server has another history than this replica at generation \(generation)"
    ).about(.arbiter)
  }
}
