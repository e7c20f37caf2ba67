import CredentialVault
import Foundation
import ProgramTesting
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultAdministration
import VaultFleet
import VaultModel

@Suite("operations on a whole vault, on a replica", .waiting)
struct OperationTests {
  @Test("a slot that is added on one machine opens the replica of another one")
  func slots() throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    let new = try fleet.makeKey()
    try fleet.first.vault.keys.add(new, name: "second")
    try other.sync()
    #expect(try other.vault.keys.slots().map(\.name).contains("second"))
    try other.vault.keys.remove(id: 1)
    try fleet.first.sync()
    #expect(try fleet.first.vault.keys.slots().count == 1)
    #expect(try fleet.rows(fleet.first, key: new) == fleet.serverRows())
  }

  @Test("after a rekey on one machine, a machine with a kept key file follows by itself")
  func rekey() throws {
    let fleet = try Replicas(items: 60)
    let other = try fleet.clone("1")
    try fleet.first.rekey(keeping: [fleet.key])
    #expect(try Replicas.accounts(other).count == 60)
    #expect(try fleet.rows(other) == fleet.serverRows())
    #expect(try other.problems() == [])
    _ = try other.add(Replicas.item("later"))
    #expect(try Replicas.accounts(fleet.first).count == 61)
  }

  @Test("a machine whose key was dropped is locked, and its file stays as it was")
  func dropped() throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    let new = try fleet.makeKey()
    try fleet.first.vault.keys.add(new, name: "second")
    try other.sync()
    let before = try fleet.rows(other)
    try fleet.first.rekey(keeping: [new])
    #expect(throws: VaultError(.locked, "")) { try other.sync() }
    #expect(throws: VaultError(.locked, "")) { try other.add(Replicas.item("mine")) }
    #expect(try fleet.rows(other) == before)
    #expect(try Replicas.accounts(other, syncing: false).count == 3)
  }

  @Test("what is thrown away and emptied is gone everywhere, large secrets with it")
  func removing() throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    let long = String(repeating: "long secret ", count: 1000)
    let item = try fleet.first.add(Replicas.item("large", secret: long))
    try other.sync()
    let found = try other.find().first { $0.account == "large" }
    #expect(found?.secret?.count == long.utf8.count)
    try other.vault.remove(item)
    try fleet.first.write { (writer) throws(VaultError) in
      _ = try writer.emptyTrash()
    }
    #expect(try Replicas.accounts(other).count == 3)
    let rows = try fleet.serverRows()
    #expect(try fleet.rows(other) == rows)
    #expect(try fleet.rows(fleet.first) == rows)
    #expect(try other.problems() == [])
  }

  @Test("a passphrase that is changed on one machine is the new one on all")
  func passphrase() throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    let (old, new) = (KeySource.passphrase(Secret("old")), KeySource.passphrase(Secret("new")))
    try fleet.first.vault.keys.add(old, cost: .minimum)
    try other.sync()
    try other.vault.keys.changePassphrase(from: old, to: new, cost: .minimum)
    try fleet.first.sync()
    #expect(try fleet.first.vault.keys.test(new).id == 2)
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try fleet.first.vault.keys.test(old)
    }
    #expect(try fleet.rows(fleet.first) == fleet.serverRows())
  }

  @Test("compacting changes no row, and needs no server")
  func compact() throws {
    let server = try PostgresServer()
    let fleet = try Replicas(items: 40, on: server)
    let before = try fleet.rows(fleet.first)
    kill(try #require(try server.identifier), SIGQUIT)
    _ = try fleet.first.vault.maintenance.compact()
    #expect(try fleet.rows(fleet.first) == before)
  }

  @Test("a restore over a replica is refused, from any backup, and changes nothing")
  func restore() throws {
    let fleet = try Replicas()
    let backup = try fleet.first.vault.maintenance.backup(to: fleet.folder.file("backup.vault"))
    _ = try fleet.first.add(Replicas.item("new"))
    let before = try fleet.rows(fleet.first)
    #expect(throws: VaultError(.unsupported, "")) {
      try VaultMaintenance.restore(from: backup.path, to: fleet.first.path, key: fleet.key)
    }
    #expect(try fleet.rows(fleet.first) == before)
    // Its items can be taken one by one: each is a write like others.
    let item = try #require(try fleet.first.find().first { $0.account == "user0" })
    try fleet.first.vault.modify(item, [.label("changed")])
    try fleet.first.vault.maintenance.restoreItem(item.id, from: backup.path)
    #expect(try fleet.rows(fleet.first) == fleet.serverRows())
  }

  @Test("a backup from before the fleet is refused over a replica, too")
  func restoreOldBackup() throws {
    let fleet = try Replicas(publishes: false)
    let backup = try fleet.first.vault.maintenance.backup(to: fleet.folder.file("backup.vault"))
    try fleet.publish(fleet.first)
    #expect(throws: VaultError(.unsupported, "")) {
      try VaultMaintenance.restore(from: backup.path, to: fleet.first.path, key: fleet.key)
    }
  }

  @Test("after the loss of the server, a replica is published on another one")
  func newServer() throws {
    let fleet = try Replicas()
    _ = try fleet.first.add(Replicas.item("new"))
    let database = try fleet.server.makeDatabase()
    try Fleet.publish(
      fleet.first.vault, to: ServerAddress(fleet.server.address(database)), lockTimeout: .seconds(5)
    )
    let other = try fleet.clone(
      "1", through: ServerAddress(fleet.server.address(database)))
    _ = try other.add(Replicas.item("newer"))
    #expect(try Replicas.accounts(fleet.first).count == 5)
  }

  @Test("a publication that was interrupted can be repeated, also by a copy of the file")
  func repeated() throws {
    let fleet = try Replicas(publishes: false)
    _ = try fleet.folder.copy(fleet.first.path, as: "copy.vault")
    try fleet.publish(fleet.first)
    _ = try fleet.first.add(Replicas.item("new"))
    let other = try fleet.open("copy")
    try fleet.publish(other)
    #expect(try Replicas.accounts(other).count == 4)
    _ = try other.add(Replicas.item("newer"))
    #expect(try Replicas.accounts(fleet.first).count == 5)
  }

  @Test("a copy that was changed since is no replica")
  func changedCopy() throws {
    let fleet = try Replicas(publishes: false)
    _ = try fleet.folder.copy(fleet.first.path, as: "copy.vault")
    try fleet.publish(fleet.first)
    let other = try fleet.open("copy")
    _ = try other.add(Replicas.item("mine"))
    let before = try fleet.rows(other)
    #expect(throws: VaultError(.forked, "")) { try fleet.publish(other) }
    #expect(!FileManager.default.fileExists(atPath: FleetFile(besides: other.path).path))
    #expect(try fleet.rows(other) == before)
  }
}
