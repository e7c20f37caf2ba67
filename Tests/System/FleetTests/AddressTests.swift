import Glibc
import ProgramTesting
import TestSupport
import Testing
import VaultFleet
import VaultModel

@Suite("ServerAddress and FleetFile")
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
