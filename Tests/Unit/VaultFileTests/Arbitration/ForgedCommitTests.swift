import VaultReports
import Foundation
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
@testable import VaultStore

@testable import SealedTree

@Suite("commits that do not keep to the rules are refused, and change no replica")
struct ForgedCommitTests {
  /// The way in which somebody with the vault's key commits.
  enum Forgery: String, CaseIterable, CustomTestStringConvertible {
    case byNobody, byStranger, underOtherName, ofOtherVault, flippedSignature, repeatedSignature
    case changedAfterwards, otherLink, byNobodyWithoutMachines

    var testDescription: String { rawValue }
  }

  private func forge(_ forgery: Forgery, _ store: FileStore, _ fleet: MachineFleet) throws {
    let (build, vault) = (CommitSigner(fleet.build, name: "build"), try store.ident().vaultID)
    switch forgery {
    case .byNobody: try store.forge(signedBy: nil)
    case .byStranger:
      let stranger = MachineKey(joining: fleet.adminSecret.key)
      try store.forge(signedBy: CommitSigner(stranger, name: "build"))
    case .underOtherName: try store.forge(signedBy: CommitSigner(fleet.build, name: "admin"))
    case .ofOtherVault:
      try store.forge(
        signedBy: build,
        changing: { head in
          var commit = PastCommit(of: head)
          commit.sign(of: VaultID(), by: build)
          head.commit = commit.commit
        })
    case .flippedSignature:
      try store.forge(signedBy: build, changing: { head in head.commit?.signature[9] ^= 1 })
    case .repeatedSignature:
      let last = try store.locked { (file) throws(VaultError) in
        try file.requireUnlocked().head.commit
      }
      try store.forge(
        signedBy: build,
        changing: { head in
          head.commit?.machine = last?.machine
          head.commit?.signature = last?.signature ?? []
          head.commit?.name = last?.name ?? ""
        })
    case .changedAfterwards:
      try store.forge(signedBy: build, changing: { head in head.mostRemembered = 60 })
    case .otherLink:
      try store.forge(
        signedBy: build,
        changing: { head in
          head.commit?.link[0] ^= 1
          var commit = PastCommit(of: head)
          commit.sign(of: vault, by: build)
          head.commit = commit.commit
        })
    case .byNobodyWithoutMachines:
      try store.locked { (file) throws(VaultError) in
        try file.inTransaction(with: .arbiter(file.requireArbiter(), newer: nil)) {
          (now, connection) throws(VaultError) in
          let slots = try file.slotRows().filter { $0.id < SlotLimits.firstMachine }
          for id in 17...19 as ClosedRange<UInt64> {
            try connection.run(.deleteSlot, .integer(id))
          }
          var head = now.head
          (head.slots, head.roster) = (now.keys.authenticate(slots: slots), nil)
          try head.succeed(now.headTag, at: .now(), sealing: now.keys, to: connection)
          try head.complete(
            after: now.head, signedBy: nil, sealing: now.keys, to: connection)
          let sealed = now.keys.seal(head.encoded, as: .head, id: 0)
          try connection.run(.updateHead, .blob(sealed))
          return (now, head, sealed)
        }
      }
    }
  }

  @Test(
    "by a member without a machine's key, and in the name of another", arguments: Forgery.allCases,
    [false, true])
  func forged(_ forgery: Forgery, isFollowed: Bool) throws {
    let fleet = try MachineFleet()
    let (build, reader) = (
      try fleet.clone(.machine(fleet.build)), try fleet.clone(.keyFile(fleet.file))
    )
    let member = try fleet.clone(.keyFile(fleet.file))
    try fleet.first.commit()
    for store in [build, reader, member] { _ = try store.sync() }
    try forge(forgery, member, fleet)
    // A machine that took it goes on.
    if isFollowed { try member.forge(signedBy: CommitSigner(fleet.web, name: "web")) }
    for store in [build, reader] { try fleet.expect(.damaged, store, from: fleet.server) }
  }

  @Test("a commit that is left out, or replaced by another one", arguments: [false, true])
  func leftOut(_ isReplaced: Bool) throws {
    let fleet = try MachineFleet()
    let build = try fleet.clone(.machine(fleet.build))
    let web = CommitSigner(fleet.web, name: "web")
    let branch = fleet.server.copied()
    let member = try fleet.clone(.machine(fleet.web), from: branch)
    try fleet.first.commit()
    _ = try build.sync()
    let known = try build.locked { (file) throws(VaultError) in try file.requireUnlocked().headTag }
    if isReplaced { try member.forge(signedBy: web) }
    // The head's own list says that it follows the head of the others.
    try member.forge(
      signedBy: web,
      preparing: { head in
        if !isReplaced { head.generation += 1 }
        head.recent.insert(known, at: 0)
        if isReplaced { head.recent.remove(at: 1) }
      })
    try fleet.expect(.forked, build, from: branch)
  }

  @Test("a commit that says it follows so many others that none of them is kept")
  func jump() throws {
    let fleet = try MachineFleet()
    let build = try fleet.clone(.machine(fleet.build))
    let branch = fleet.server.copied()
    let member = try fleet.clone(.machine(fleet.web), from: branch)
    try fleet.first.commit()
    _ = try build.sync()
    try member.forge(
      signedBy: CommitSigner(fleet.web, name: "web"),
      preparing: { head in
        head.generation += 5000
        (head.recent, head.ancestors) = ([], .none)
      })
    try fleet.expect(.forked, build, from: branch)
  }

  @Test(
    "a machine that was removed goes on with its server", arguments: [1, 64, 65, 1000])
  func branch(_ count: Int) throws {
    let fleet = try MachineFleet()
    let (build, late) = (
      try fleet.clone(.machine(fleet.build)), try fleet.clone(.machine(fleet.build))
    )
    let branch = fleet.server.copied()
    let web = try fleet.clone(.machine(fleet.web), from: branch)
    try fleet.rekey(removing: [19])
    _ = try build.sync()
    try web.commit(count)
    // Who saw the removal.
    try fleet.expect(count == 1 ? .forked : .damaged, build, from: branch)
    try build.join(fleet.server)
    try build.commit()
    // Who did not cannot know, but never takes the others' commits again.
    try late.join(branch)
    #expect(try late.commits(limit: 1).map(\.machine) == ["web"])
    try fleet.expect(count == 1 ? .forked : .rolledBack, late, from: fleet.server)
    try fleet.first.commit(count)
    try fleet.expect(.forked, late, from: fleet.server)
    try late.commit()
    #expect(try late.headHash().hash != build.headHash().hash)
  }

  @Test("a machine that was removed, and has the new key from another member")
  func newKey() throws {
    let fleet = try MachineFleet()
    let build = try fleet.clone(.machine(fleet.build))
    try fleet.rekey(removing: [19])
    _ = try build.sync()
    let member = try fleet.clone(.keyFile(fleet.file))
    try member.forge(signedBy: CommitSigner(fleet.web, name: "web"))
    try fleet.expect(.damaged, build, from: fleet.server)
  }

  @Test(
    "two machines of the fleet, each with a server of its own",
    arguments: [1, 65, 66, 300, 4200])
  func forked(_ count: Int) throws {
    let fleet = try MachineFleet()
    let other = fleet.server.copied()
    let web = try fleet.clone(.machine(fleet.web), from: other)
    let build = try fleet.clone(.machine(fleet.build))
    try fleet.first.commit()
    _ = try build.sync()
    try web.commit(count)
    try fleet.expect(.forked, build, from: other)
  }

  @Test("a new replica of a head that nobody signed, or a stranger")
  func clone() throws {
    for signer in [nil, CommitSigner(MachineKey(joining: AdminSecret().key), name: "build")] {
      let fleet = try MachineFleet()
      try fleet.clone(.keyFile(fleet.file)).forge(signedBy: signer)
      #expect(throws: VaultError(.damaged, "")) { try fleet.clone(.machine(fleet.build)) }
    }
  }

  /// A server's change to the rows of commits.
  enum Lie: String, CaseIterable, CustomTestStringConvertible {
    case removed, flipped, swapped, older, added, hidden

    var testDescription: String { rawValue }
  }

  @Test("rows of commits that a server removes, changes, hides or adds", arguments: Lie.allCases)
  func rows(_ lie: Lie) throws {
    let fleet = try MachineFleet()
    let build = try fleet.clone(.machine(fleet.build))
    try fleet.first.commit(3)
    let lying = fleet.server.copied()
    func key(_ generation: UInt64) -> MemoryArbiter.Key {
      MemoryArbiter.Key(table: .node, id: NodeID.commit(generation))
    }
    lying.change { state in
      let row = state.rows[key(6)]?.sealed
      switch lie {
      case .removed: state.rows[key(6)]?.sealed = nil
      case .flipped: state.rows[key(6)]?.sealed?[60] ^= 1
      case .swapped:
        let next = state.rows[key(7)]?.sealed
        state.rows[key(6)]?.sealed = next
        state.rows[key(7)]?.sealed = row
      case .older: state.rows[key(4)] = (nil, state.generation)
      case .added: state.rows[key(4000)] = (row, state.generation)
      case .hidden: state.rows[key(6)]?.generation = 1
      }
    }
    try fleet.expect(.damaged, build, from: lying)
    if lie != .older, lie != .hidden {
      #expect(throws: VaultError(.damaged, "")) {
        try fleet.clone(.machine(fleet.build), from: lying)
      }
    }
    try build.join(fleet.server)
    #expect(try build.verify().problems == [])
  }

  @Test("a file without machines that a member puts in the place of a machine's replica")
  func exchanged() throws {
    let fleet = try MachineFleet()
    let build = try fleet.clone(.machine(fleet.build))
    let member = try fleet.copy(build, .keyFile(fleet.file), writing: fleet.server.copied())
    try forge(.byNobodyWithoutMachines, member, fleet)
    try member.close()
    #expect(try build.find(ItemQuery(), withSecrets: false).isEmpty)
    try FileManager.default.removeItem(atPath: build.path.path)
    try FileManager.default.moveItem(atPath: member.path.path, toPath: build.path.path)
    try build.locked { (file) throws(VaultError) in file.forgetLabel() }
    #expect(throws: VaultError(.damaged, "")) { try build.find(ItemQuery(), withSecrets: false) }
  }

  @Test("a commit whose row is lost, or not signed, is a problem of the file")
  func verify() throws {
    let fleet = try MachineFleet()
    try fleet.first.commit(3)
    let member = try fleet.clone(.keyFile(fleet.file))
    try member.forge(signedBy: nil)
    #expect(try member.verify().problems.map(\.kind) == [.ancestors])
    #expect(try member.commits(limit: 1).map(\.machine) == [nil])
    try fleet.first.locked { (file) throws(VaultError) in
      try file.connection.run(.beginImmediate)
      try file.connection.remove(NodeID.commit(6))
      try file.connection.run(.commit)
    }
    #expect(try fleet.first.verify().problems.map(\.kind) == [.ancestors])
    #expect(throws: VaultError(.damaged, "")) { try fleet.first.commits() }
  }
}
