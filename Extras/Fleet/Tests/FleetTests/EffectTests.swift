import VaultAdministration
import Foundation
import Glibc
import ProgramTesting
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultFleet
import VaultModel

@Suite("what one machine does, on the others", .waiting)
struct EffectTests {
  @Test("an observer learns of what another machine wrote, when it came")
  func events() throws {
    let fleet = try Replicas()
    let store = try fleet.clone("1")
    let vault = store.vault
    let events = Lock<[VaultEvent]>([])
    let observation = vault.events.observe { event in events.withLock { $0.append(event) } }
    defer { observation.cancel() }
    try vault.maintenance.sync()
    #expect(events.withLock { $0 } == [])
    _ = try fleet.first.add(Replicas.item("new"))
    _ = try fleet.first.add(Replicas.item("newer"))
    #expect(events.withLock { $0 } == [])
    try vault.maintenance.sync()
    #expect(events.withLock { $0 } == [.changedElsewhere])
    // A change of its own also brings what others wrote.
    _ = try fleet.first.add(Replicas.item("newest"))
    events.withLock { $0 = [] }
    _ = try vault.add(Replicas.item("mine"))
    #expect(events.withLock { $0.first } == .changedElsewhere)
    #expect(events.withLock { $0.count } == 2)
  }

  @Test("a rule of the policy that one machine wrote binds another one, also before it asked")
  func policy() throws {
    let fleet = try Replicas()
    let store = try fleet.clone("1")
    let (first, vault) = (fleet.first.vault, store.vault)
    func forbid(_ host: String) throws {
      _ = try first.policy.update { rules in
        var rule = PersistencePolicy.Rule(name: host)
        (rule.host, rule.refuse) = (try HostPattern(host), true)
        rules.append(rule)
      }
    }
    try forbid("one.example.com")
    try vault.maintenance.sync()
    let before = try fleet.serverRows()
    #expect(throws: VaultError(.policyRefused, "")) { try vault.add(Replicas.item("one")) }
    #expect(try fleet.serverRows() == before)
    try forbid("two.example.com")
    #expect(throws: VaultError(.policyRefused, "")) { try vault.add(Replicas.item("two")) }
    _ = try vault.add(Replicas.item("three"))
  }

  @Test("a credential of the session stays on its machine, which needs no server for it")
  func session() throws {
    let server = try PostgresServer()
    let fleet = try Replicas(on: server)
    let store = try fleet.clone("1")
    let vault = store.vault
    let (file, before) = (try fleet.rows(store), try fleet.serverRows())
    _ = try vault.add(Replicas.item("mine"), persistence: .session)
    #expect(try vault.findAll(ItemQuery()).count == 4)
    #expect(try Replicas.accounts(fleet.first).count == 3)
    #expect(try fleet.rows(store) == file && fleet.serverRows() == before)
    try server.kill()
    _ = try vault.add(Replicas.item("yours"), persistence: .session)
    #expect(throws: VaultError(.unavailable, "")) { try vault.add(Replicas.item("file")) }
    #expect(try vault.findAll(ItemQuery()).count == 5)
  }

  @Test("what has expired goes for all when one machine purges, in one commit")
  func purge() throws {
    let fleet = try Replicas()
    let store = try fleet.clone("1")
    let vault = store.vault
    var old = try Replicas.item("old")
    old.expires = Timestamp(seconds: 1)
    _ = try fleet.first.add(old)
    try vault.maintenance.sync()
    #expect(try vault.maintenance.expired().map(\.account) == ["old"])
    #expect(try vault.maintenance.purge().map(\.account) == ["old"])
    let caught = try fleet.first.sync()
    #expect(caught.after == caught.before + 1)
    #expect(try Replicas.accounts(fleet.first) == ["user0", "user1", "user2"])
    #expect(try fleet.rows(fleet.first) == fleet.serverRows())
    #expect(try fleet.rows(store) == fleet.serverRows())
  }
}
