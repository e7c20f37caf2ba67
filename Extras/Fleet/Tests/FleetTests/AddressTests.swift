import Foundation
import Glibc
import ProgramTesting
import TestSupport
import TestTraits
import Testing
import VaultFleet
import VaultModel

@Suite("ServerAddress and FleetFile", .waiting)
struct AddressTests {
  @Test(
    "a connection string is an address, without a password",
    arguments: [
      "host=db.example.com dbname=fleet", "postgresql://ann@db.example.com/fleet", "service=fleet",
    ])
  func address(_ text: String) throws {
    #expect(try ServerAddress(text).text == text)
  }

  @Test(
    "a password, or what is no connection string, is refused, and not repeated",
    arguments: [
      "host=db.example.com password=hunter2", "postgresql://ann:hunter2@db.example.com/fleet",
      "postgresql://db.example.com/fleet?password=hunter2", "sslpassword=hunter2 host=a",
      "hunter2", "", "host=a\nhunter2=b", "hunter2=b",
    ])
  func refused(_ text: String) {
    let error = #expect(throws: VaultError(.invalidArgument, "")) { try ServerAddress(text) }
    #expect(error?.context.contains("hunter2") == false)
  }

  @Test("the address beside a replica is read back, and is nobody else's")
  func file() throws {
    let folder = try TemporaryFolder()
    let file = FleetFile(besides: folder.file("a.vault"))
    #expect(throws: VaultError(.configuration, "")) { try file.read() }
    let address = try ServerAddress("host=db.example.com dbname='a = b'")
    try file.write(address)
    #expect(try file.read() == address)
    _ = try folder.write("nothing = here\n".utf8, as: "b.vault.fleet")
    #expect(throws: VaultError(.configuration, "")) {
      try FleetFile(besides: folder.file("b.vault")).read()
    }
    // The path is a C string during the call.
    #expect(unsafe chmod(file.path, 0o622) == 0)
    #expect(throws: VaultError(.unsafePermissions, "")) { try file.read() }
  }

  @Test("a server with TLS is taken if its authority and its name are the right ones")
  func certificates() throws {
    let server = try PostgresServer()
    let sandbox = try Sandbox()
    // As whoever the server runs as, who alone may read the key.
    let made = try sandbox.run(
      "sh", "-euc",
      """
      for name in server other; do
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
          -subj /CN=localhost -addext subjectAltName=DNS:localhost \
          -keyout $name.key -out $name.crt 2>/dev/null
      done
      cp server.key server.crt "$0"
      chmod 600 "$0/server.key" && chown --reference="$0" "$0/server.key" "$0/server.crt"
      """, server.folder.appending(path: "data").path)
    try #require(made.status == 0, "\(made.errors)")
    try server.sql("ALTER SYSTEM SET ssl = on", in: "postgres")
    try server.sql("SELECT pg_reload_conf()", in: "postgres")
    let fleet = try Replicas(on: server)
    func clone(_ name: String, host: String, authority: String) throws -> Int {
      let address = try ServerAddress(
        """
        host=\(host) port=\(server.port) dbname=\(fleet.database) user=admin \
        sslrootcert=\(sandbox.home.path)/\(authority).crt
        """)
      return try Replicas.accounts(fleet.clone(name, through: address), syncing: false).count
    }
    #expect(try clone("1", host: "localhost", authority: "server") == 3)
    #expect(throws: VaultError(.unavailable, "")) {
      try clone("2", host: "localhost", authority: "other")
    }
    #expect(throws: VaultError(.unavailable, "")) {
      try clone("3", host: "127.0.0.1", authority: "server")
    }
  }

  @Test("a server without TLS is refused over TCP, unless the address allows it")
  func transport() throws {
    let fleet = try Replicas()
    let secure = try ServerAddress(
      "host=localhost port=\(fleet.server.port) dbname=\(fleet.database) user=admin")
    #expect(throws: VaultError(.unavailable, "")) { try fleet.clone("1", through: secure) }
    let plain = try ServerAddress(fleet.server.address(fleet.database, tcp: true))
    #expect(try Replicas.accounts(fleet.clone("1", through: plain)).count == 3)
  }
}
