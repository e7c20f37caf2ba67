import Foundation
import Glibc
import ProgramTesting
import TestSupport
import TestTraits
import Testing
import VaultModel

@testable import VaultFleet

@Suite("servers with several addresses", .waiting)
struct SilentAddressTests {
  /// A port of loopback where connections are made, and nobody answers.
  private final class SilentPort {
    let socket: Int32
    let port: Int

    init() throws { (socket, port) = try Proxy.listen() }

    deinit { close(socket) }
  }

  @Test(
    "a first address that accepts and stays silent, or refuses, leaves its turn to the next one",
    arguments: [false, true])
  func next(isRefused: Bool) throws {
    let fleet = try Replicas()
    let silent = try SilentPort()
    let first = "port=\(isRefused ? 1 : silent.port),\(fleet.server.port)"
    let rest = "dbname=\(fleet.database) user=admin sslmode=disable connect_timeout=10"
    for hosts in ["host=127.0.0.1,127.0.0.1", "hostaddr=127.0.0.1,127.0.0.1"] {
      let store = try fleet.clone(
        String(hosts.prefix(5)), through: ServerAddress("\(hosts) \(first) \(rest)"))
      _ = try store.add(Replicas.item("m\(hosts.count)"))
    }
    // The socket's folder, after a host that is silent.
    let mixed = "host=127.0.0.1,\(fleet.server.folder.path) \(first) \(rest)"
    #expect(try Replicas.accounts(fleet.clone("mixed", through: ServerAddress(mixed))).count == 5)
  }

  @Test("addresses that are all silent or refuse are named, each with its reason")
  func none() throws {
    let silent = try SilentPort()
    let address = try ServerAddress(
      "host=127.0.0.1,localhost port=\(silent.port),1 dbname=a user=a connect_timeout=1")
    let error = #expect(throws: VaultError(.unavailable, "")) {
      _ = try PostgresConnection(address, limit: .seconds(120))
    }
    let text = error?.context ?? ""
    #expect(text.contains("127.0.0.1: it does not answer; "))
    #expect(text.contains("refused"))
  }

  @Test("a password that one address does not accept is tried at no other")
  func passwords() throws {
    let server = try PostgresServer()
    let rules = server.folder.appending(path: "data/pg_hba.conf")
    let usual = try String(contentsOf: rules, encoding: .utf8)
    let handle = try FileHandle(forWritingTo: rules)
    try handle.write(
      contentsOf: Data("host all web 127.0.0.1/32 scram-sha-256\n\(usual)".utf8))
    try handle.close()
    try server.sql("SELECT pg_reload_conf()", in: "postgres")
    try server.sql("CREATE ROLE web LOGIN PASSWORD 'right'", in: "postgres")
    let folder = try TemporaryFolder()
    func connect(_ password: String) throws {
      let file = folder.file(password)
      try Data("*:*:*:*:\(password)\n".utf8).write(to: URL(filePath: file))
      // The path is a C string during the call.
      try #require(unsafe chmod(file, 0o600) == 0)
      let address = """
        host=127.0.0.1,127.0.0.1 port=\(server.port),\(server.port) dbname=postgres user=web \
        sslmode=disable passfile=\(file)
        """
      _ = try PostgresConnection(ServerAddress(address), limit: .seconds(120))
    }
    try connect("right")
    #expect(throws: VaultError(.unavailable, "")) { try connect("wrong") }
    let log = try String(contentsOf: server.folder.appending(path: "log"), encoding: .utf8)
    #expect(log.components(separatedBy: "password authentication failed for user").count == 2)
  }

  @Test("unless the address says otherwise, only TLS encrypts, and no standby is asked")
  func defaults() throws {
    let settings = try ServerAddress("host=a").settings()
    #expect(settings["gssencmode"] == "disable")
    #expect(settings["target_session_attrs"] == "read-write")
    let others = try ServerAddress("host=a gssencmode=prefer target_session_attrs=any").settings()
    #expect(others["gssencmode"] == "prefer")
    #expect(others["target_session_attrs"] == "any")
  }

  @Test("a name stands for all addresses that the system knows of it")
  func names() throws {
    let known = try Sandbox().run("getent", "ahosts", "localhost").lines.compactMap {
      $0.split(separator: " ").first.map(String.init)
    }
    let places = Array(try ServerAddress("host=localhost,/tmp port=7,8 dbname=a").places)
    let found = places.compactMap { place in place.last { $0.keyword == "hostaddr" }?.value }
    #expect(Set(found) == Set(known) && found.count == Set(known).count)
    #expect(places.count == found.count + 1)
    #expect(places.last?.map(\.value) == ["/tmp", "8"])
    #expect(places.first?.prefix(2).map(\.value) == ["localhost", "7"])
  }

  @Test("an empty port is the usual one, and one port is that of all hosts")
  func ports() throws {
    func ports(_ text: String) throws -> [String] {
      try ServerAddress(text).places.map { $0.last { $0.keyword == "port" }?.value ?? "" }
    }
    #expect(try ports("host=/a,/b,/c port=,7, dbname=a") == ["5432", "7", "5432"])
    #expect(try ports("host=/a,/b port=7") == ["7", "7"])
    #expect(try ports("host=/a,/b") == ["5432", "5432"])
  }

  @Test(
    "what libpq alone decides is left to it",
    arguments: [
      "host=a,b hostaddr=127.0.0.1", "host=a,b port=1,2,3", "host=,a", "dbname=a",
      "service=none-such",
    ])
  func left(_ text: String) throws {
    #expect(try ServerAddress(text).places.map(\.count) == [0])
    #expect(throws: VaultError(.unavailable, "")) {
      _ = try PostgresConnection(ServerAddress(text), limit: .seconds(1))
    }
  }

  @Test("hosts of a service file are tried in turn, too")
  func service() throws {
    let sandbox = try Sandbox()
    let fleet = try Machines()
    let silent = try SilentPort()
    let lines = """
      [fleet]
      host=127.0.0.1,\(fleet.server.folder.path)
      port=\(silent.port),\(fleet.server.port)
      dbname=\(fleet.database)
      user=admin
      sslmode=disable
      connect_timeout=10
      """
    let key = fleet.sandboxes[0].home.appending(path: "test.key")
    try FileManager.default.copyItem(at: key, to: sandbox.home.appending(path: "test.key"))
    let file = sandbox.home.appending(path: "services")
    try Data(lines.utf8).write(to: file)
    let cloned = try sandbox.run(
      ["vaultctl", "fleet", "clone", "service=fleet"],
      environment: ["PGSERVICEFILE": file.path])
    #expect(cloned.status == 0, "\(cloned.errors)")
  }
}
