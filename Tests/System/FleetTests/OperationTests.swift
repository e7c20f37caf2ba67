import CredentialVault
import Foundation
import VaultMigrations
import ProgramTesting
import SecureMemory
import StoreTesting
import TestSupport
import TestTraits
import Testing
import VaultCrypto
import VaultFleet
import VaultModel
@testable import VaultStore

@Suite("operations on a whole vault, on a replica", .waiting)
struct OperationTests {
  @Test("a slot that is added on one machine opens the replica of another one")
  func slots() throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    let new = VaultCrypto.KeyFile()
    _ = try fleet.first.addSlot(.keyFile(new), name: "second", cost: nil)
    _ = try other.sync()
    #expect(try other.slots().map(\.name).contains("second"))
    try other.removeSlot(1)
    _ = try fleet.first.sync()
    #expect(try fleet.first.slots().count == 1)
    #expect(try fleet.rows(fleet.first, key: new) == fleet.serverRows())
  }

  @Test("after a rekey on one machine, a machine with a kept key file follows by itself")
  func rekey() throws {
    let fleet = try Replicas(items: 60)
    let other = try fleet.clone("1")
    _ = try fleet.first.rekey(
      keeping: [.keyFile(fleet.key)], cost: nil, otherKey: { _ in nil }, progress: { _ in })
    #expect(try Replicas.accounts(other).count == 60)
    #expect(try fleet.rows(other) == fleet.serverRows())
    #expect(try other.verify().problems == [])
    _ = try other.add(Replicas.item("later"))
    #expect(try Replicas.accounts(fleet.first).count == 61)
  }

  @Test("a machine whose key was dropped is locked, and its file stays as it was")
  func dropped() throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    let new = VaultCrypto.KeyFile()
    _ = try fleet.first.addSlot(.keyFile(new), name: "second", cost: nil)
    _ = try other.sync()
    let before = try fleet.rows(other)
    _ = try fleet.first.rekey(
      keeping: [.keyFile(new)], cost: nil, otherKey: { _ in nil }, progress: { _ in })
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
    _ = try other.sync()
    let found = try other.find(ItemQuery(), withSecrets: true).first { $0.account == "large" }
    #expect(found?.secret?.count == long.utf8.count)
    try other.remove(item.id, hint: item.key)
    try fleet.first.write { (transaction) throws(VaultError) in
      _ = try transaction.emptyTrash(ItemQuery())
    }
    #expect(try Replicas.accounts(other).count == 3)
    let rows = try fleet.serverRows()
    #expect(try fleet.rows(other) == rows)
    #expect(try fleet.rows(fleet.first) == rows)
    #expect(try other.verify().problems == [])
  }

  @Test("a passphrase that is changed on one machine is the new one on all")
  func passphrase() throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    let (old, new) = (UnlockKey.passphrase(Secret("old")), UnlockKey.passphrase(Secret("new")))
    _ = try fleet.first.addSlot(old, name: "", cost: .minimum)
    _ = try other.sync()
    _ = try other.replaceKey(old, with: new, cost: .minimum)
    _ = try fleet.first.sync()
    #expect(try fleet.first.testSlot(with: new, id: nil).id == 2)
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try fleet.first.testSlot(with: old, id: nil)
    }
    #expect(try fleet.rows(fleet.first) == fleet.serverRows())
  }

  @Test("a program with a later schema reads a replica, and neither migrates nor writes it")
  func migrate() throws {
    let fleet = try Replicas()
    let before = try fleet.rows(fleet.first)
    try fleet.first.close()
    let step = MigrationStep(
      Migrations.Step(number: 2, sql: Array("CREATE TABLE later (id INTEGER) STRICT;".utf8)),
      minor: 1, features: 1)
    let later = try FileStore.open(
      VaultPath(fleet.folder.file("0.vault")), stateFolder: fleet.folder.file("state"),
      lockTimeout: .seconds(5), chain: MigrationChain(MigrationChain.current.steps + [step]))
    try later.unlock(with: .keyFile(fleet.key))
    #expect(try Replicas.accounts(later).count == 3)
    #expect(throws: VaultError(.unsupported, "")) { try later.migrate() }
    #expect(throws: VaultError(.unsupported, "")) { try later.add(Replicas.item("new")) }
    #expect(try fleet.rows(later) == before)
    #expect(try fleet.serverRows() == before)
  }

  @Test("compacting changes no row, and needs no server")
  func compact() throws {
    let server = try PostgresServer()
    let fleet = try Replicas(items: 40, on: server)
    let before = try fleet.rows(fleet.first)
    kill(try #require(try server.identifier), SIGQUIT)
    _ = try fleet.first.compact()
    #expect(try fleet.rows(fleet.first) == before)
  }

  @Test("a restore over a replica is refused, from any backup, and changes nothing")
  func restore() throws {
    let fleet = try Replicas()
    let backup = try fleet.first.backUp(to: fleet.folder.file("backup.vault"))
    _ = try fleet.first.add(Replicas.item("new"))
    let before = try fleet.rows(fleet.first)
    #expect(throws: VaultError(.unsupported, "")) {
      _ = try FileStore.restore(
        from: backup.path, to: fleet.first.path.path, key: .keyFile(fleet.key),
        stateFolder: fleet.folder.file("state"), lockTimeout: .seconds(5))
    }
    #expect(try fleet.rows(fleet.first) == before)
    // Its items can be taken one by one: each is a write like others.
    let items = try fleet.first.find(ItemQuery())
    let item = try #require(items.first { $0.account == "user0" })
    _ = try fleet.first.modify(item.id, hint: item.key, [.label("changed")])
    _ = try fleet.first.restoreItem(from: backup.path, key: { () throws(VaultError) in nil }) {
      (find) throws(VaultError) in
      guard let first = try find(ItemQuery()).first(where: { $0.id == item.id }) else {
        throw VaultError(.itemNotFound, "")
      }
      return first
    }
    #expect(try fleet.rows(fleet.first) == fleet.serverRows())
  }

  @Test("a backup from before the fleet is refused over a replica, too")
  func restoreOldBackup() throws {
    let fleet = try Replicas(publishes: false)
    let backup = try fleet.first.backUp(to: fleet.folder.file("backup.vault"))
    try fleet.publish(fleet.first)
    #expect(throws: VaultError(.unsupported, "")) {
      _ = try FileStore.restore(
        from: backup.path, to: fleet.first.path.path, key: .keyFile(fleet.key),
        stateFolder: fleet.folder.file("state"), lockTimeout: .seconds(5))
    }
  }

  @Test("a backup from before the fleet waits for a replica that somebody writes, and is refused")
  func restoreOverBusy() throws {
    let fleet = try Replicas(publishes: false)
    let backup = try fleet.first.backUp(to: fleet.folder.file("backup.vault"))
    try fleet.publish(fleet.first)
    try fleet.first.close()
    let path = fleet.folder.file("0.vault")
    func restore(_ lockTimeout: Duration) throws(VaultError) {
      _ = try FileStore.restore(
        from: backup.path, to: path, key: .keyFile(fleet.key),
        stateFolder: fleet.folder.file("state"), lockTimeout: lockTimeout)
    }
    let (bytes, holder) = (try fleet.folder.bytes(path), try LockHolder(path))
    try holder.lock("EXCLUSIVE")
    #expect(throws: VaultError(.busy, "")) { try restore(.milliseconds(50)) }
    try holder.unlock()
    #expect(throws: VaultError(.unsupported, "")) { try restore(.milliseconds(50)) }
    #expect(try fleet.folder.bytes(path) == bytes)
  }

  @Test("after the loss of the server, a replica is published on another one")
  func newServer() throws {
    let fleet = try Replicas()
    _ = try fleet.first.add(Replicas.item("new"))
    let database = try fleet.server.makeDatabase()
    let vault = try Vault.openLocked(path: fleet.first.path.path)
    try Fleet.publish(
      vault, to: ServerAddress(fleet.server.address(database)), lockTimeout: .seconds(5))
    let other = try fleet.clone(
      "1", through: ServerAddress(fleet.server.address(database)))
    _ = try other.add(Replicas.item("newer"))
    #expect(try Replicas.accounts(fleet.first).count == 5)
  }

  @Test("a publication that was interrupted can be repeated, also by a copy of the file")
  func repeated() throws {
    let fleet = try Replicas(publishes: false)
    _ = try fleet.folder.copy(fleet.first.path.path, as: "copy.vault")
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
    _ = try fleet.folder.copy(fleet.first.path.path, as: "copy.vault")
    try fleet.publish(fleet.first)
    let other = try fleet.open("copy")
    _ = try other.add(Replicas.item("mine"))
    let before = try fleet.rows(other)
    #expect(throws: VaultError(.forked, "")) { try fleet.publish(other) }
    #expect(!FileManager.default.fileExists(atPath: FleetFile(besides: other.path.path).path))
    #expect(try fleet.rows(other) == before)
  }

  @Test("a program that knows no replicas refuses them, and leaves them as they are")
  func tooNew() throws {
    let fleet = try Replicas(publishes: false)
    let path = fleet.first.path.path
    // A process opens a file once, by the first one's formats.
    func openEarlier() throws(VaultError) -> FileStore {
      try FileStore.open(
        VaultPath(path), stateFolder: fleet.folder.file("state-earlier"), lockTimeout: .seconds(5),
        chain: MigrationChain(MigrationChain.current.steps, besides: 0))
    }
    try fleet.first.close()
    let earlier = try openEarlier()
    try earlier.unlock(with: .keyFile(fleet.key))
    #expect(try Replicas.accounts(earlier, syncing: false).count == 3)
    try earlier.close()
    let store = try fleet.open("0")
    try fleet.publish(store)
    try store.close()
    let (bytes, names) = (
      try fleet.folder.bytes(path),
      try FileManager.default.contentsOfDirectory(atPath: fleet.folder.path).sorted()
    )
    #expect(throws: VaultError(.tooNew, "")) { _ = try openEarlier() }
    #expect(try fleet.folder.bytes(path) == bytes)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: fleet.folder.path).sorted() == names)
    #expect(try Replicas.accounts(fleet.open("0")).count == 3)
  }
}
