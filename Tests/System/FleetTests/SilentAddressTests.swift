import Foundation
import Glibc
import ProgramTesting
import StoreTesting
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
    let rest = "dbname=\(fleet.database) user=admin sslmode=disable connect_timeout=2"
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
      _ = try PostgresConnection(address, limit: .seconds(5))
    }
    let text = error?.context ?? ""
    #expect(text.contains("127.0.0.1: it does not answer; "))
    #expect(text.contains("refused"))
  }

  @Test("a name stands for all addresses that the system knows of it")
  func names() throws {
    let known = try Sandbox().run("getent", "ahosts", "localhost").lines.compactMap {
      $0.split(separator: " ").first.map(String.init)
    }
    let places = try ServerAddress("host=localhost,/tmp port=7,8 dbname=a").places
    let found = places.compactMap { place in place.last { $0.keyword == "hostaddr" }?.value }
    #expect(Set(found) == Set(known) && found.count == Set(known).count)
    #expect(places.count == found.count + 1)
    #expect(places.last?.map(\.value) == ["/tmp", "8"])
    #expect(places.first?.prefix(2).map(\.value) == ["localhost", "7"])
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
      connect_timeout=1
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
