import VaultAdministration
import Foundation
import Glibc
import ProgramTesting
import TestSupport
import TestTraits
import Testing
import VaultFleet
import VaultModel

@Suite("a standby that is promoted without the last commits", .waiting)
struct StandbyTests {
  /// Waits until a server has a generation.
  private func wait(for generation: String, on server: PostgresServer, _ database: String) throws {
    for _ in 0..<6000 {
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
      #expect(throws: VaultError(.rolledBack, "")) { try store.sync() }
      #expect(throws: VaultError(.rolledBack, "")) { try store.add(Replicas.item("mine")) }
    }
    let away = try fleet.open("away")
    #expect(try Replicas.accounts(away) == ["kept", "user0", "user1", "user2"])
    // As many commits as were lost, and more.
    for number in 0..<3 {
      _ = try away.add(Replicas.item("after\(number)"))
      for store in [seen, saw] {
        #expect(throws: VaultError(number == 0 ? .rolledBack : .forked, "")) {
          try store.sync()
        }
      }
    }
    #expect(try fleet.rows(seen) == before)
    #expect(try fleet.rows(away) == fleet.serverRows(on: standby))
    #expect(try away.problems() == [])
  }

  @Test("of several hosts, a standby leaves its turn to the one that can be written")
  func hosts() throws {
    let primary = try PostgresServer()
    let rules = primary.folder.appending(path: "data/pg_hba.conf")
    let usual = try String(contentsOf: rules, encoding: .utf8)
    let handle = try FileHandle(forWritingTo: rules)
    try handle.write(contentsOf: Data("host all web 127.0.0.1/32 scram-sha-256\n\(usual)".utf8))
    try handle.close()
    try primary.sql("SELECT pg_reload_conf()", in: "postgres")
    try primary.sql("CREATE ROLE web LOGIN SUPERUSER PASSWORD 'right'", in: "postgres")
    let fleet = try Replicas(on: primary)
    let standby = try PostgresServer(standbyOf: primary.port)
    let file = fleet.folder.file("passwords")
    try Data("*:*:*:*:right\n".utf8).write(to: URL(filePath: file))
    // The path is a C string during the call.
    try #require(unsafe chmod(file, 0o600) == 0)
    for user in ["admin", "web"] {
      let address = """
        host=127.0.0.1,127.0.0.1 port=\(standby.port),\(primary.port) dbname=\(fleet.database) \
        user=\(user) sslmode=disable passfile=\(file)
        """
      // A standby is asked if the address says so, and cannot be written.
      let any = try fleet.clone(
        "any-\(user)", through: ServerAddress("\(address) target_session_attrs=any"))
      #expect(throws: VaultError(.unavailable, "")) { try any.add(Replicas.item("no")) }
      let store = try fleet.clone(user, through: ServerAddress(address))
      _ = try store.add(Replicas.item(user))
    }
    #expect(try Replicas.accounts(fleet.first) == ["admin", "user0", "user1", "user2", "web"])
  }
}
