import Foundation
import ProgramTesting
import StoreTesting
import TestSupport
import TestTraits
import Testing
import VaultFile
import VaultFleet
import VaultModel
import VaultRecovery

@Suite("a standby that is promoted without the last commits", .waiting)
struct StandbyTests {
  /// Waits until a server has a generation.
  private func wait(for generation: String, on server: PostgresServer, _ database: String) throws {
    for _ in 0..<1000 {
      let found = try server.sql(
        "SELECT generation FROM credential_vault.vault", in: database)
      if found == [generation] { return }
      usleep(20_000)
    }
    Issue.record("the standby did not follow")
  }

  @Test("every machine that saw them notices, for good, and one that did not goes on")
  func promoted() throws {
    let primary = try PostgresServer()
    let fleet = try Replicas(on: primary)
    let receiver = try Proxy(before: primary.port) { _ in .pass }
    defer { receiver.close() }
    let standby = try PostgresServer(standbyOf: receiver.port)
    // One machine is away from here on.
    try fleet.clone("away").close()
    _ = try fleet.first.add(Replicas.item("kept"))
    let generation = try primary.sql(
      "SELECT generation FROM credential_vault.vault", in: fleet.database)
    try wait(for: generation[0], on: standby, fleet.database)
    receiver.close()
    try fleet.clone("writer").close()
    let writer = try fleet.open("writer")
    for name in ["lost", "gone"] { _ = try writer.add(Replicas.item(name)) }
    try writer.close()
    try fleet.clone("reader").close()
    _ = try standby.sql("SELECT pg_promote()", in: "postgres")
    let address = try ServerAddress(standby.address(fleet.database))
    for name in ["away", "writer", "reader"] {
      try FleetFile(besides: fleet.folder.file("\(name).vault")).write(address)
    }
    let (seen, saw) = (try fleet.open("writer"), try fleet.open("reader"))
    let before = try fleet.rows(seen)
    for store in [seen, saw] {
      #expect(throws: VaultError(.rolledBack, "")) { try store.catchUp() }
      #expect(throws: VaultError(.rolledBack, "")) { try store.add(Replicas.item("mine")) }
    }
    let away = try fleet.open("away")
    #expect(try Replicas.accounts(away) == ["kept", "user0", "user1", "user2"])
    // As many commits as were lost, and more.
    for number in 0..<3 {
      _ = try away.add(Replicas.item("after\(number)"))
      for store in [seen, saw] {
        #expect(throws: VaultError(number == 0 ? .rolledBack : .forked, "")) {
          try store.catchUp()
        }
      }
    }
    #expect(try fleet.rows(seen) == before)
    #expect(try away.verify().problems == [])
  }
}
