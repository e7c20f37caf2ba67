import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

@Suite("machines that are admitted to a fleet's vault")
struct AdmissionTests {
  private func machines(_ count: Int, of fleet: MachineFleet) -> [NewMachine] {
    (0..<count).map { number in
      NewMachine(
        MachineKey(joining: fleet.adminSecret.key).publicKey, name: "m\(number)", isAdmin: false)
    }
  }

  @Test("each one sends its own slot, and no other machine's")
  func alone() throws {
    let fleet = try MachineFleet()
    for machine in machines(3, of: fleet) {
      let slot = try fleet.first.admit([machine], with: .machine(fleet.admin))[0]
      let sent = fleet.server.now.lastRows.filter { $0.table == .slot }
      #expect(sent.map(\.id) == [UInt64(slot.id)])
      #expect(sent.allSatisfy { $0.sealed == slot.encoded })
    }
    let build = try fleet.clone(.machine(fleet.build))
    try build.removeSlot(1)
    #expect(fleet.server.now.lastRows.filter { $0.table == .slot }.map(\.id) == [1])
    #expect(fleet.server.now.lastRows.first { $0.table == .slot }?.sealed == nil)
    _ = try fleet.first.sync()
    for store in [build, fleet.first] { #expect(try store.verify().problems == []) }
  }

  @Test("a name that is changed on its way has another fingerprint, though the line's sum fits")
  func renamedLine() throws {
    let machine = MachineKey(joining: AdminSecret().key)
    let lines = ["build", "web"].map { MachineText.line(of: machine, name: $0) }
    let prints = try lines.map(MachineText.fingerprint(of:))
    #expect(prints[0] != prints[1])
    #expect(prints[1] == MachineText.fingerprint(of: machine.publicKey, name: "web"))
  }

  @Test("several are one commit, under the lowest free ids, and each opens the vault")
  func together() throws {
    let fleet = try MachineFleet()
    try fleet.rekey(removing: [18])
    let keys = (0..<4).map { _ in MachineKey(joining: fleet.adminSecret.key) }
    let new = keys.enumerated().map { number, key in
      NewMachine(key.publicKey, name: "m\(number)", isAdmin: number == 3)
    }
    let sent = fleet.server.now.commitCount
    let slots = try fleet.first.admit(new, with: .machine(fleet.admin))
    #expect(fleet.server.now.commitCount == sent + 1)
    #expect(slots.map(\.id) == [18, 20, 21, 22] && slots.map(\.name) == new.map(\.name))
    #expect(slots.map { $0.machine?.isAdmin } == [false, false, false, true])
    for key in keys { try fleet.clone(.machine(key)).commit() }
    _ = try fleet.first.sync()
    #expect(try fleet.first.commits(limit: 4).map(\.machine) == ["m3", "m2", "m1", "m0"])
    #expect(try fleet.first.verify().problems == [])
  }

  @Test("a rekey on a machine that does not know of one yet keeps it")
  func rekeyedElsewhere() throws {
    let fleet = try MachineFleet()
    let build = try fleet.clone(.machine(fleet.build))
    let machine = MachineKey(joining: fleet.adminSecret.key)
    _ = try build.admit(
      [NewMachine(machine.publicKey, name: "late", isAdmin: false)], with: .machine(fleet.admin))
    let slot = try build.slots().first { $0.name == "late" }
    try fleet.rekey(removing: [19])
    #expect(try fleet.first.slots().contains { $0.id == slot?.id && $0.name == "late" })
    try fleet.clone(.machine(machine)).commit()
  }

  @Test("a rekey removes no machine that got the id of one that was removed elsewhere")
  func reusedID() throws {
    let fleet = try MachineFleet()
    let build = try fleet.clone(.machine(fleet.build))
    _ = try build.rekey(
      keeping: [.machine(fleet.admin), .keyFile(fleet.file)], removing: [19], cost: .minimum,
      otherKey: { (_) throws(VaultError) in nil }, progress: { _ in })
    let machine = machines(1, of: fleet)[0]
    #expect(try build.admit([machine], with: .machine(fleet.admin)).map(\.id) == [19])
    #expect(throws: VaultError(.conflict, "")) { try fleet.rekey(removing: [19]) }
    #expect(try fleet.first.slots().contains { $0.name == "m0" })
    try fleet.rekey(removing: [19])
    #expect(try !fleet.first.slots().contains { $0.name == "m0" })
  }

  @Test("if one of several cannot be admitted, none is")
  func oneIsWrong() throws {
    let fleet = try MachineFleet()
    let before = try fleet.folder.bytes(fleet.first.path.path)
    let sent = fleet.server.now.commitCount
    let two = machines(2, of: fleet)
    let wrong: [(NewMachine, VaultError.Code)] = [
      (two[0], .duplicateItem),
      (NewMachine(two[1].publicKey, name: "m0", isAdmin: false), .duplicateItem),
      (NewMachine(fleet.build.publicKey, name: "other", isAdmin: false), .duplicateItem),
      (NewMachine(two[1].publicKey, name: "build", isAdmin: false), .duplicateItem),
      (NewMachine(two[1].publicKey, name: "", isAdmin: false), .invalidArgument),
    ]
    for (machine, code) in wrong {
      #expect(throws: VaultError(code, "")) {
        try fleet.first.admit([two[0], machine], with: .machine(fleet.admin))
      }
    }
    #expect(try fleet.first.admit([], with: .machine(fleet.admin)).isEmpty)
    #expect(fleet.server.now.commitCount == sent)
    #expect(try fleet.folder.bytes(fleet.first.path.path) == before)
  }
}
