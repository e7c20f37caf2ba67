import VaultAdministration
import Foundation
import ProgramTesting
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultFleet
import VaultModel

@Suite("replicas of one vault, with a real PostgreSQL", .waiting)
struct ReplicaTests {
  @Test("what one machine adds, another one finds, and the server has the same bytes")
  func adding() throws {
    let fleet = try Replicas(items: 40)
    let other = try fleet.clone("1")
    #expect(try Replicas.accounts(other).count == 40)
    _ = try fleet.first.add(Replicas.item("new"))
    _ = try other.add(Replicas.item("newer"))
    #expect(try Replicas.accounts(fleet.first).count == 42)
    #expect(try Replicas.accounts(other).count == 42)
    let rows = try fleet.rows(fleet.first)
    #expect(try fleet.rows(other) == rows)
    #expect(try fleet.serverRows() == rows)
    #expect(try other.problems() == [])
    #expect(try !fleet.serverRows().joined().contains("6578616d706c65"))
  }

  @Test("a change of an item that somebody changed since is a conflict")
  func conflict() throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    let item = try #require(try other.find().first)
    _ = try fleet.first.vault.modify(item, [.label("ours")])
    #expect(throws: VaultError(.conflict, "")) {
      try other.vault.modify(item, [.label("theirs")], ifRevision: item.revision)
    }
    #expect(try other.vault.modify(item, [.comment("both")]).item.label == "ours")
  }

  @Test("a program that links the product gets what others wrote when it asks")
  func syncing() throws {
    let fleet = try Replicas()
    // The same open file, unlocked.
    let store = try fleet.clone("1")
    let vault = try Vault.openLocked(path: store.path)
    let known = try vault.maintenance.sync()
    #expect(known.before == known.after)
    _ = try fleet.first.add(Replicas.item("new"))
    let caught = try vault.maintenance.sync()
    #expect(caught.before == known.after && caught.after == known.after + 1)
    #expect(try Replicas.accounts(store, syncing: false).count == 4)
  }

  @Test("asking does not hold up a task, and ends with an error for what is no replica")
  func syncingAside() async throws {
    let fleet = try Replicas()
    let store = try fleet.clone("1")
    let vault = try Vault.openLocked(path: store.path)
    _ = try fleet.first.add(Replicas.item("new"))
    let caught = try await Vault.perform { try vault.maintenance.sync() }
    #expect(caught.after == caught.before + 1)
    #expect(try Replicas.accounts(store, syncing: false).count == 4)
    let alone = try Replicas(publishes: false)
    let other = try Vault.openLocked(path: alone.first.path)
    await #expect(throws: VaultError(.invalidArgument, "")) {
      try await Vault.perform { try other.maintenance.sync() }
    }
  }

  @Test("without the server, everything is found, and nothing is written")
  func offline() throws {
    let server = try PostgresServer()
    let fleet = try Replicas(on: server)
    let other = try fleet.clone("1")
    let before = try fleet.rows(other)
    kill(try #require(try server.identifier), SIGQUIT)
    #expect(try Replicas.accounts(other, syncing: false).count == 3)
    #expect(throws: VaultError(.unavailable, "")) { try other.add(Replicas.item("late")) }
    #expect(throws: VaultError(.unavailable, "")) { try other.sync() }
    #expect(try fleet.rows(other) == before)
  }
}
