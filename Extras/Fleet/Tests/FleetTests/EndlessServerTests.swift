import CredentialVault
import Foundation
import ProgramTesting
import TestSupport
import TestTraits
import Testing
import VaultAdministration
import VaultModel

@testable import VaultFleet

@Suite("answers without an end", .waiting)
struct EndlessServerTests {
  @Test("a server that sends a byte now and then is not awaited until it is done")
  func trickling() throws {
    let server = try PostgresServer.shared.get()
    let proxy = try Proxy(before: server.port) { $0 == 2 ? .trickle : .pass }
    defer { proxy.close() }
    let connection = try PostgresConnection(
      ServerAddress(server.address("postgres", port: proxy.port)), limit: .seconds(30))
    // For connecting it is no limit on a busy machine.
    connection.limit = .seconds(1)
    let error = #expect(throws: VaultError(.unavailable, "")) {
      try connection.run([Query("SELECT pg_catalog.repeat('x', 3000)")])
    }
    #expect(error?.context.contains("it does not answer") == true)
    #expect(connection.isBroken)
  }

  @Test("nor one that sends rows more slowly than the slowest line would")
  func slowRows() throws {
    let server = try PostgresServer.shared.get()
    let connection = try PostgresConnection(
      ServerAddress(server.address("postgres")), limit: .seconds(30))
    connection.limit = .seconds(1)
    let query = Query(
      """
      SELECT pg_catalog.pg_sleep(0.9)::text, pg_catalog.repeat('x', 9000)
      FROM pg_catalog.generate_series(1, 20)
      """)
    #expect(throws: VaultError(.unavailable, "")) {
      try connection.run([query]) { (_, _) throws(VaultError) in }
    }
  }

  @Test("what comes earns time, but no longer silence than the limit")
  func timeout() {
    var timeout = ResponseTimeout(.seconds(2))
    func allows(_ seconds: Int) -> Bool { timeout.allows(.seconds(seconds)) }
    for _ in 0..<100 {
      #expect(allows(1))
      timeout.extend(by: 1 << 20)
    }
    #expect(!allows(2))
    timeout = ResponseTimeout(.seconds(2))
    #expect(allows(1))
    // Not a hundredth of a second.
    timeout.extend(by: 100)
    #expect(allows(1))
    #expect(!allows(1))
    // The data that is sent also takes its time.
    timeout = ResponseTimeout(.seconds(2), sending: 160 << 10)
    #expect(allows(11))
    #expect(!allows(1))
  }

  @Test("a server that goes on sending rows is refused, and the replica stays as it was")
  func rows() throws {
    let fleet = try Replicas()
    let store = try fleet.clone("1")
    try VaultReplica(store.vault).join(
      PostgresArbiter(fleet.address, vault: store.id(), byteLimit: 1 << 20))
    let before = try fleet.rows(store)
    try fleet.server.sql(
      """
      ALTER TABLE credential_vault.sealed_row RENAME TO honest;
      CREATE VIEW credential_vault.sealed_row AS
      SELECT vault, kind, generate_series(1, 100000000000) AS id, sealed,
        generation + 1000 AS generation
      FROM credential_vault.honest
      """, in: fleet.database)
    #expect(throws: VaultError(.damaged, "")) { try store.sync() }
    #expect(throws: VaultError(.damaged, "")) { try store.add(Replicas.item("mine")) }
    #expect(try fleet.rows(store) == before)
  }

  @Test("an answer of a few rows has few")
  func fewRows() throws {
    let server = try PostgresServer.shared.get()
    let connection = try PostgresConnection(
      ServerAddress(server.address("postgres")), limit: .seconds(120))
    #expect(throws: VaultError(.damaged, "")) {
      try connection.run([Query("SELECT generate_series(1, 100000000000)")])
    }
  }

  @Test("several notifications that came are one")
  func notifications() throws {
    let fleet = try Replicas(publishes: false)
    let connection = try PostgresConnection(fleet.address, limit: .seconds(120))
    _ = try connection.run([Query("LISTEN credential_vault")])
    // In one transaction, so that the server sends them together.
    try fleet.server.sql(
      "BEGIN; NOTIFY credential_vault, '1'; NOTIFY credential_vault, '2'; COMMIT",
      in: fleet.database)
    #expect(try connection.awaitNotification(for: .seconds(60)))
    #expect(try !connection.awaitNotification(for: .zero))
  }
}
