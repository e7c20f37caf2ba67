import Foundation
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultMigrations
import VaultModel
@testable import VaultStore

@Suite("operations of other programs on a replica's file")
struct ReplicaOperationTests {
  private let fixture: StoreFixture
  private var folder: TemporaryFolder { fixture.folder }

  init() throws {
    fixture = try StoreFixture()
    _ = try fixture.store.add(Self.item("ann"))
  }

  private static func item(_ account: String) throws(VaultError) -> Item {
    Item(server: try HostName("a.example.com"), account: account, secret: Secret("one"))
  }

  private func publish(to arbiter: MemoryArbiter = MemoryArbiter()) throws {
    let store = try fixture.reopened()
    try store.publish(to: arbiter)
    try store.close()
  }

  @Test("a program with a later schema reads a replica, and neither migrates nor writes it")
  func migrate() throws {
    let arbiter = MemoryArbiter()
    try publish(to: arbiter)
    let before = try folder.bytes(fixture.path)
    let step = MigrationStep(
      Migrations.Step(number: 2, sql: Array("CREATE TABLE later (id INTEGER) STRICT;".utf8)),
      minor: 1, features: 1)
    let later = try fixture.reopened(chain: MigrationChain(MigrationChain.current.steps + [step]))
    try later.locked { file in file.arbiter = arbiter }
    #expect(try later.find(ItemQuery()).count == 1)
    #expect(throws: VaultError(.unsupported, "")) { try later.migrate() }
    #expect(throws: VaultError(.unsupported, "")) { try later.add(Self.item("new")) }
    #expect(try folder.bytes(fixture.path) == before)
  }

  @Test("a program that knows no replicas refuses them, and leaves them as they are")
  func tooNew() throws {
    let chain = MigrationChain(MigrationChain.current.steps, besides: 0)
    let earlier = try fixture.reopened(chain: chain)
    #expect(try earlier.find(ItemQuery()).count == 1)
    try earlier.close()
    try publish()
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }
    let (bytes, all) = (try folder.bytes(fixture.path), try names())
    #expect(throws: VaultError(.tooNew, "")) { _ = try fixture.reopened(chain: chain) }
    #expect(try folder.bytes(fixture.path) == bytes)
    #expect(try names() == all)
    #expect(try fixture.reopened().find(ItemQuery()).count == 1)
  }

  @Test("a backup from before the fleet waits for a replica that somebody writes, and is refused")
  func restoreOverBusy() throws {
    let store = try fixture.reopened()
    let backup = try store.backUp(to: folder.file("backup.vault"))
    try publish()
    let key = try fixture.keyFile()
    func restore() throws(VaultError) {
      _ = try FileStore.restore(
        from: backup.path, to: fixture.path, key: .keyFile(key),
        stateFolder: folder.file("state"), lockTimeout: .milliseconds(50))
    }
    let (bytes, holder) = (try folder.bytes(fixture.path), try LockHolder(fixture.path))
    try holder.lock("EXCLUSIVE")
    #expect(throws: VaultError(.busy, "")) { try restore() }
    try holder.unlock()
    #expect(throws: VaultError(.unsupported, "")) { try restore() }
    #expect(try folder.bytes(fixture.path) == bytes)
  }
}
