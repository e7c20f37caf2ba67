import CredentialVault
import Foundation
import ProgramTesting
import TestTraits
import Testing
import VaultModel

@testable import VaultFleet

@Suite("the tables on a server", .waiting)
struct FleetSchemaTests {
  private let server: PostgresServer
  private let database: String

  init() throws {
    server = try PostgresServer.shared.get()
    database = try server.makeDatabase()
  }

  private func connect(lockTimeout: Duration = .seconds(10)) throws -> FleetServer {
    try FleetServer(ServerAddress(server.address(database)), lockTimeout: lockTimeout)
  }

  private static let later = Array(
    """
    CREATE TABLE credential_vault.later (id int);
    COMMENT ON SCHEMA credential_vault IS 'step 2';
    """.utf8)

  private static let failing = Array("CREATE TABLE credential_vault.half (id int); SELECT 1/0".utf8)

  @Test("the steps that a server lacks are run, and a program refuses tables of a later one")
  func steps() throws {
    let fleet = try connect()
    try fleet.prepare()
    try fleet.prepare()
    let all = FleetMigrations.steps
    try fleet.prepare(all + [Self.later])
    #expect(try server.sql("SELECT count(*) FROM credential_vault.later", in: database) == ["0"])
    try fleet.prepare(all + [Self.later])
    #expect(throws: VaultError(.tooNew, "")) { try fleet.prepare() }
    // By number.
    try server.sql("COMMENT ON SCHEMA credential_vault IS 'step 10'", in: database)
    #expect(throws: VaultError(.tooNew, "")) { try fleet.prepare(all + [Self.later]) }
    try server.sql("COMMENT ON SCHEMA credential_vault IS 'mine'", in: database)
    #expect(throws: VaultError(.tooNew, "")) { try fleet.prepare() }
  }

  @Test("steps are run all or none, one program at a time, and no lock of a session stays")
  func together() throws {
    let fleet = try connect(lockTimeout: .milliseconds(100))
    #expect(throws: VaultError.self) {
      try fleet.prepare(FleetMigrations.steps + [Self.failing])
    }
    #expect(
      try server.sql("SELECT to_regnamespace('credential_vault') IS NULL", in: database) == ["t"])
    let other = try PostgresConnection(
      ServerAddress(server.address(database)), limit: .seconds(120))
    _ = try other.run([Query("BEGIN"), Query("SELECT pg_advisory_xact_lock(1447842865)")])
    #expect(throws: VaultError(.busy, "")) { try fleet.prepare() }
    _ = try other.run([Query("ROLLBACK")])
    try fleet.prepare()
    let locks = """
      SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """
    #expect(try server.sql(locks, in: database) == ["0"])
    #expect(try fleet.vaults() == [])
  }

  @Test("functions of others with the names of PostgreSQL's are not called with the owner's rights")
  func foreignFunctions() throws {
    try server.sql(
      """
      CREATE TABLE public.called (name text);
      CREATE FUNCTION public.format(text, text) RETURNS text LANGUAGE sql AS
        $$ INSERT INTO public.called VALUES ('format') RETURNING 'SELECT 1' $$;
      CREATE FUNCTION public.obj_description(oid, text) RETURNS text LANGUAGE sql AS
        $$ INSERT INTO public.called VALUES ('obj_description') RETURNING '' $$
      """, in: database)
    let role = "machine_\(UUID().uuidString.prefix(8).lowercased())"
    try server.sql("CREATE ROLE \(role) LOGIN", in: database)
    let fleet = try Replicas(publishes: false)
    let id = try fleet.first.id()
    let own = try connect()
    try own.prepare()
    try own.grant(role, id)
    #expect(try server.sql("SELECT name FROM public.called", in: database) == [])
    #expect(
      try server.sql("SELECT count(*) FROM credential_vault.vault", in: database, user: role)
        == ["0"])
  }

  @Test("a role that does not exist, and one that may not, are the configuration's fault")
  func rights() throws {
    let fleet = try Replicas()
    let id = try fleet.first.id()
    let own = try FleetServer(fleet.address, lockTimeout: .seconds(10))
    #expect(throws: VaultError(.configuration, "")) { try own.grant("nobody_is_it", id) }
    let role = "machine_\(UUID().uuidString.prefix(8).lowercased())"
    try fleet.server.sql("CREATE ROLE \(role) LOGIN", in: fleet.database)
    let other = try FleetServer(
      ServerAddress(fleet.server.address(fleet.database, user: role)), lockTimeout: .seconds(10))
    #expect(throws: VaultError(.configuration, "")) { try other.vaults() }
    #expect(throws: VaultError(.configuration, "")) { try other.grant(role, id) }
  }

  @Test("an administrator grants and revokes by hand what fleet grant and revoke do")
  func byHand() throws {
    let fleet = try Replicas()
    let id = "'\\x\(try fleet.first.id().hex)'"
    let role = "Machine \(UUID().uuidString.prefix(8))\""
    let quoted = "\"\(role.replacing("\"", with: "\"\""))\""
    func ask(_ text: String, user: String = "admin") throws -> [String] {
      try fleet.server.sql(text, in: fleet.database, user: user)
    }
    let shown = "SELECT count(*) FROM credential_vault.vault"
    _ = try ask("CREATE ROLE \(quoted) LOGIN")
    #expect(throws: (any Error).self) { _ = try ask(shown, user: role) }
    #expect(try ask("SELECT credential_vault.grant_vault(\(id), '\(role)')") == [])
    #expect(try ask("SELECT credential_vault.grant_vault(\(id), '\(role)')") == [])
    #expect(try ask(shown, user: role) == ["1"])
    for call in [
      "grant_vault(\(id), 'public')", "grant_vault(\(id), 'nobody_is_it')",
      "grant_vault(\(id), 'current_user')", "grant_vault(\(id), NULL)",
      "grant_vault(NULL, '\(role)')",
    ] {
      #expect(throws: (any Error).self, "\(call)") {
        _ = try ask("SELECT credential_vault.\(call)")
      }
    }
    #expect(try ask("SELECT role FROM credential_vault.member") == [role])
    // A machine's role grants nothing, not even to itself.
    for call in ["grant_vault('\\x00', '\(role)')", "revoke_vault(\(id), '\(role)')"] {
      #expect(throws: (any Error).self, "\(call)") {
        _ = try ask("SELECT credential_vault.\(call)", user: role)
      }
    }
    let own = try FleetServer(fleet.address, lockTimeout: .seconds(10))
    try own.revoke(role, fleet.first.id())
    #expect(try ask(shown, user: role) == ["0"])
    #expect(throws: VaultError(.itemNotFound, "")) {
      try own.revoke(role, fleet.first.id())
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try own.grant("public", fleet.first.id())
    }
    #expect(try ask("SELECT credential_vault.revoke_vault(\(id), '\(role)')") == ["f"])
  }

  @Test("who may create schemas in a database, and nothing else, makes the tables and grants")
  func owner() throws {
    let replicas = try Replicas(publishes: false)
    let role = "owner_\(UUID().uuidString.prefix(8).lowercased())"
    try replicas.server.sql(
      """
      CREATE ROLE \(role) LOGIN; GRANT CREATE ON DATABASE \(replicas.database) TO \(role);
      CREATE ROLE \(role)_machine LOGIN
      """, in: "postgres")
    let address = try ServerAddress(replicas.server.address(replicas.database, user: role))
    try Fleet.publish(replicas.first.vault, to: address, lockTimeout: .seconds(10))
    try FleetServer(address, lockTimeout: .seconds(10)).grant(
      "\(role)_machine", replicas.first.id())
    let machine = try ServerAddress(
      replicas.server.address(replicas.database, user: "\(role)_machine"))
    _ = try replicas.clone("1", through: machine).add(Replicas.item("mine"))
    #expect(try Replicas.accounts(replicas.first).count == 4)
  }
}
