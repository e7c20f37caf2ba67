import Foundation
import ProgramTesting
import TestSupport
import TestTraits
import Testing

/// Programs as others ship them, on a private bus.
@Suite("Clients of the Secret Service", .waiting)
struct ClientTests {
  @Test(
    "secret-tool stores, finds, lists and clears, also in a locked vault", arguments: [false, true])
  func secretTool(isLocked: Bool) throws {
    let bus = try PrivateBus(isLocked: isLocked)
    let tool = try Clients.program("secret-tool", of: "libsecret-tools")
    let stored = try bus.run(
      tool + [
        "store", "--label=Mail", "server", "mail.example.com", "protocol", "imaps", "user", "ann",
      ],
      input: "correct horse")
    #expect(stored.status == 0, "\(stored.errors)")
    #expect(try bus.run(tool + ["lookup", "user", "ann"]).output == "correct horse")
    #expect(try bus.run(tool + ["lookup", "user", "bob"]).status == 1)
    let listed = try bus.run(tool + ["search", "--all", "protocol", "imaps"])
    #expect(listed.output.contains("label = Mail") && listed.output.contains("correct horse"))
    // Every program finds the item that it stored.
    #expect(
      try bus.vaultctl(["vaultctl", "find", "-w", "imaps://ann@mail.example.com"]).output
        == "correct horse\n")
    #expect(try bus.run(tool + ["clear", "server", "mail.example.com"]).status == 0)
    #expect(try bus.run(tool + ["lookup", "user", "ann"]).status == 1)
    // An item of the vault is the tool's.
    let added = try bus.vaultctl(
      ["vaultctl", "add", "https://eve@example.com", "--password-stdin"], input: "pa55")
    #expect(added.status == 0, "\(added.errors)")
    #expect(try bus.run(tool + ["lookup", "server", "example.com"]).output == "pa55")
  }

  @Test("what a client stores in a replica is ordered by the program in libexec")
  func replica() throws {
    let place = try Sandbox()
    let service = place.home.appending(path: "bin/vaultctl-secret-service").path
    let toy = "Tests/System/vaultctlTests/Programs/toy-order"
    for (source, target) in [
      (PrivateBus.service, service),
      (
        Project.root.appending(path: toy).path,
        place.home.appending(path: "libexec/vaultctl-fleet").path
      ),
    ] {
      try #require(place.run("install", "-D", source, target).status == 0)
    }
    let bus = try PrivateBus(service: service)
    let home = bus.sandbox.home
    // Another vault was seen at this path.
    try FileManager.default.removeItem(at: home.appending(path: ".local/state"))
    for (name, file) in [("fleet.vault", "test.vault"), ("fleet.build-machine", "test.key")] {
      let copied = try bus.sandbox.run("install", "-m", "600", "\(Golden.folder)/\(name)", file)
      try #require(copied.status == 0, "\(copied.errors)")
    }
    let tool = try Clients.program("secret-tool", of: "libsecret-tools")
    func ordered() throws -> Int {
      let log = home.appending(path: "test.vault.order")
      return try String(contentsOf: log, encoding: .utf8).split(separator: "\n").count
    }
    let stored = try bus.run(
      tool + ["store", "--label=Mail", "server", "mail.example.com", "user", "ann"], input: "one")
    #expect(stored.status == 0, "\(stored.errors)")
    let count = try ordered()
    #expect(count > 0)
    #expect(try bus.vaultctl(["vaultctl", "list", "--json"]).output.contains("mail.example.com"))
    #expect(try bus.run(tool + ["clear", "server", "mail.example.com"]).status == 0)
    #expect(try ordered() > count)
  }

  private static let gitHelper =
    "/usr/share/doc/git/contrib/credential/libsecret/git-credential-libsecret.c"

  @Test(
    "Git's helper for libsecret shares the items of ours",
    .enabled("Debian's git has its contrib folder") {
      FileManager.default.fileExists(atPath: gitHelper)
    }, arguments: [false, true])
  func git(isLocked: Bool) throws {
    let bus = try PrivateBus(isLocked: isLocked)
    let helper = try bus.compile(Self.gitHelper)
    let host = "protocol=https\nhost=git.example.com\n"
    _ = try bus.run([helper, "store"], input: host + "username=ann\npassword=correct horse\n")
    let answer = "username=ann\npassword=correct horse\n"
    #expect(try bus.run([helper, "get"], input: host).output == answer)
    #expect(
      try bus.vaultctl(["git-credential-vaultctl", "get"], input: host).output.contains(answer))
    _ = try bus.vaultctl(
      ["git-credential-vaultctl", "store"], input: host + "username=ann\npassword=new\n")
    #expect(try bus.run([helper, "get"], input: host).output == "username=ann\npassword=new\n")
    _ = try bus.run([helper, "erase"], input: host + "username=ann\n")
    #expect(try bus.run([helper, "get"], input: host).output == "")
  }

  @Test(
    "Docker's helper for the Secret Service shares the items of ours", arguments: [false, true])
  func docker(isLocked: Bool) throws {
    let bus = try PrivateBus(isLocked: isLocked)
    let helper = try Clients.program(
      "docker-credential-secretservice", of: "golang-docker-credential-helpers")
    let hub = "https://index.docker.io/v1/"
    let login = "{\"ServerURL\":\"\(hub)\",\"Username\":\"bob\",\"Secret\":\"token\"}\n"
    let stored = try bus.run(helper + ["store"], input: login)
    #expect(stored.status == 0, "\(stored.output)\(stored.errors)")
    for get in [helper + ["get"], ["docker-credential-vaultctl", "get"]] {
      #expect(try bus.vaultctl(get, input: hub).output == login)
    }
    let list = "{\"\(hub)\":\"bob\"}"
    #expect(try bus.run(helper + ["list"]).output.contains(list))
    let other = login.replacing(hub, with: "registry.example.com:5000")
    _ = try bus.vaultctl(["docker-credential-vaultctl", "store"], input: other)
    #expect(try bus.run(helper + ["get"], input: "registry.example.com:5000").output == other)
    #expect(try bus.run(helper + ["erase"], input: hub).status == 0)
    let missing = try bus.run(helper + ["get"], input: hub)
    #expect(missing.status == 1 && missing.output.contains("credentials not found"))
    #expect(try bus.vaultctl(["docker-credential-vaultctl", "list"]).output.contains("registry"))
  }

  @Test(
    "Python's SecretStorage and keyring work, by the tests that keyring has for every backend",
    arguments: [("storage_test.py", "7 passed"), ("keyring_test.py", "14 passed")], [false, true])
  func python(suite: (file: String, passed: String), isLocked: Bool) throws {
    let bus = try PrivateBus(isLocked: isLocked)
    let result = try bus.run(Clients.suite(suite.file), limit: 120)
    #expect(result.output.contains(suite.passed), "\(result.output)\(result.errors)")
    guard suite.file == "keyring_test.py" else { return }
    // It is the session's, as the tests want it, so nothing of it is in the file.
    #expect(try bus.vaultctl(["vaultctl", "list"]).output == "")
  }

  @Test("libsecret's own test of a store in a collection that is locked")
  func storeUnlock() throws {
    let bus = try PrivateBus(typing: PrivateBus.typing)
    let result = try bus.run([bus.compile(Clients.file("store_unlock.c"))])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
  }
}
