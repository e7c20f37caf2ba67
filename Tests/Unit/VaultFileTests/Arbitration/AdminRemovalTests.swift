import VaultReports
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
@testable import VaultStore

@testable import SealedTree

@Suite("an admin's machine that is removed")
struct AdminRemovalTests {
  private let fleet: MachineFleet
  /// The admin that is removed.
  private let second: MachineKey
  private let build: FileStore

  init() throws {
    fleet = try MachineFleet()
    second = MachineKey(joining: fleet.adminSecret.key)
    _ = try fleet.first.admit(
      [NewMachine(second.publicKey, name: "second", isAdmin: true)], with: .machine(fleet.admin))
    build = try fleet.clone(.machine(fleet.build))
  }

  private func admins(_ store: FileStore) throws -> AdminChain {
    try store.locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in
        guard let roster = try file.requireUnlocked().head.roster else {
          throw VaultError(.internalError, "no machines")
        }
        return roster.admins
      }
    }
  }

  @Test("leaves a new admin key to the others, who follow it wherever they joined")
  func followed() throws {
    let before = try admins(fleet.first)
    try fleet.rekey(removing: [18])
    #expect(try admins(fleet.first) == before)
    try fleet.rekey(removing: [20])
    let after = try admins(fleet.first)
    #expect(after.continues(before) && after.present != before.present)
    let web = try fleet.clone(.machine(fleet.web))
    try web.commit()
    // The admin that stays has a share of the new key.
    let late = MachineKey(joining: try #require(try fleet.first.adminKey()))
    _ = try fleet.first.admit(
      [NewMachine(late.publicKey, name: "late", isAdmin: true)], with: .machine(fleet.admin))
    let third = try fleet.clone(.machine(late))
    _ = try third.rekey(
      keeping: [.machine(late), .keyFile(fleet.file)], removing: [17], cost: .minimum,
      otherKey: { (_) throws(VaultError) in nil }, progress: { _ in })
    for store in [third, web] {
      _ = try store.sync()
      #expect(try admins(store).continues(after) && admins(store) != after)
      #expect(try store.verify().problems == [])
    }
    // The removed ones cannot follow.
    #expect(throws: VaultError(.locked, "")) { try fleet.first.sync() }
    try fleet.clone(.machine(late)).commit()
  }

  @Test("admits and removes nobody, also with a file whose machines it signed itself")
  func powerless() throws {
    try fleet.rekey(removing: [20])
    let member = try fleet.clone(.keyFile(fleet.file))
    let stranger = NewMachine(
      MachineKey(joining: fleet.adminSecret.key).publicKey, name: "x", isAdmin: false)
    #expect(throws: VaultError(.invalidArgument, "")) {
      try member.admit([stranger], with: .machine(second))
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try member.locked { (file) throws(VaultError) in
        let committer = CommitSigner(fleet.build, name: "build")
        _ = try file.addMachines([stranger], committer: committer) { _ in fleet.adminSecret }
      }
    }
  }

  /// The admin keys of a rekey by somebody who knows a former one.
  enum Forgery: CaseIterable {
    case former, otherSuccessor, successorsSuccessor, withPredecessor, ofNobody
  }

  private func chain(_ forgery: Forgery) throws -> (AdminChain, AdminSecret) {
    var chain = AdminChain(fleet.adminSecret.key)
    let own = AdminSecret()
    switch forgery {
    case .former: return (chain, fleet.adminSecret)
    case .otherSuccessor:
      try chain.append(own.key, from: next, signedBy: fleet.adminSecret)
    case .successorsSuccessor:
      chain = try admins(fleet.first)
      try chain.append(own.key, from: next, signedBy: fleet.adminSecret)
    case .withPredecessor:
      let stranger = AdminSecret()
      chain = AdminChain(stranger.key)
      try chain.append(
        fleet.adminSecret.key, from: fleet.first.ident(), signedBy: stranger)
      try chain.append(own.key, from: next, signedBy: fleet.adminSecret)
    case .ofNobody: return (AdminChain(own.key), own)
    }
    return (chain, own)
  }

  private var next: Ident {
    get throws { try fleet.first.ident().successor() }
  }

  @Test(
    "leads nobody who saw the removal to a key of its own, with a member's help",
    arguments: Forgery.allCases)
  func misled(_ forgery: Forgery) throws {
    let reader = try fleet.clone(.keyFile(fleet.file))
    try fleet.rekey(removing: [20])
    for store in [build, reader] { _ = try store.sync() }
    let member = try fleet.clone(.machine(fleet.web))
    let (admins, signer) = try chain(forgery)
    try member.forgeRekey(
      for: [fleet.admin, fleet.build, fleet.web], and: fleet.file, by: signer, as: admins,
      signedBy: CommitSigner(fleet.web, name: "machine 2"))
    let codes: [Forgery: VaultError.Code] = [
      .former: .forked, .otherSuccessor: .forked, .successorsSuccessor: .damaged,
      .withPredecessor: .forked,
    ]
    try fleet.expect(codes[forgery] ?? .anotherVault, build, from: fleet.server)
    // Who has a key of the vault's own may follow to machines that began anew.
    if let code = codes[forgery] { try fleet.expect(code, reader, from: fleet.server) }
  }

  @Test("does not become another machine before, whose removal leaves the admin key as it is")
  func disguised() throws {
    let branch = fleet.server.copied()
    let other = try fleet.clone(.machine(second), from: branch)
    try other.locked { (file) throws(VaultError) in
      try file.changeSlots(.slotChanged, committer: CommitSigner(second, name: "second")) {
        (slots) throws(VaultError) in
        slots.signer = fleet.adminSecret
        let slot = try Slot(
          forMachine: second.publicKey, share: nil, to: slots.keys, id: 20, name: "second",
          created: .now())
        slots.rows[4] = (20, slot.encoded)
      }
    }
    try fleet.expect(.damaged, build, from: branch)
    // Nor with a new key for the vault, where another machine has the share.
    let member = try fleet.clone(.machine(fleet.web))
    try member.forgeRekey(
      for: [fleet.web, fleet.build, fleet.admin], sharingWith: 0, and: fleet.file,
      by: fleet.adminSecret, as: AdminChain(fleet.adminSecret.key),
      signedBy: CommitSigner(fleet.web, name: "machine 0"))
    try fleet.expect(.damaged, build, from: fleet.server)
  }

  @Test("is not forgotten with an older roster of the same epoch, by a member")
  func olderRoster() throws {
    let before = try fleet.first.locked { (file) throws(VaultError) in
      try file.requireUnlocked().head.roster
    }
    let late = MachineKey(joining: fleet.adminSecret.key)
    _ = try fleet.first.admit(
      [NewMachine(late.publicKey, name: "late", isAdmin: true)], with: .machine(fleet.admin))
    _ = try build.sync()
    let member = try fleet.clone(.machine(fleet.web))
    try member.locked { (file) throws(VaultError) in
      try file.inTransaction(with: .arbiter(file.requireArbiter(), newer: nil)) {
        (now, connection) throws(VaultError) in
        try connection.run(.deleteSlot, .integer(21))
        var head = now.head
        head.slots = now.keys.authenticate(slots: try file.slotRows())
        head.roster = before
        try head.succeed(now.headTag, at: .now(), sealing: now.keys, to: connection)
        try head.complete(
          after: now.head, signedBy: CommitSigner(fleet.web, name: "web"), sealing: now.keys,
          to: connection)
        let sealed = now.keys.seal(head.encoded, as: .head, id: 0)
        try connection.run(.updateHead, .blob(sealed))
        return (now, head, sealed)
      }
    }
    try fleet.expect(.damaged, build, from: fleet.server)
  }

  @Test("is believed by no machine that joined afterwards")
  func joined() throws {
    let branch = fleet.server.copied()
    try fleet.rekey(removing: [20])
    let late = MachineKey(joining: try #require(try fleet.first.adminKey()))
    let forger = try fleet.clone(.machine(second), from: branch)
    _ = try forger.admit(
      [NewMachine(late.publicKey, name: "late", isAdmin: false)], with: .machine(second))
    #expect(throws: VaultError(.anotherVault, "")) {
      try fleet.clone(.machine(late), from: branch)
    }
  }
}
