import Foundation
import ProgramTesting
import TestTraits
import Testing

/// Programs as others ship them, on a private bus.
@Suite("Clients of the Secret Service", .waiting)
struct ClientTests {
  @Test("secret-tool stores, finds, lists and clears")
  func secretTool() throws {
    let bus = try PrivateBus()
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
      try bus.run("vaultctl", "find", "-w", "imaps://ann@mail.example.com").output
        == "correct horse\n")
    #expect(try bus.run(tool + ["clear", "server", "mail.example.com"]).status == 0)
    #expect(try bus.run(tool + ["lookup", "user", "ann"]).status == 1)
    // An item of the vault is the tool's.
    let added = try bus.run(
      "vaultctl", "add", "https://eve@example.com", "--password-stdin", input: "pa55")
    #expect(added.status == 0, "\(added.errors)")
    #expect(try bus.run(tool + ["lookup", "server", "example.com"]).output == "pa55")
  }

  private static let gitHelper =
    "/usr/share/doc/git/contrib/credential/libsecret/git-credential-libsecret.c"

  @Test(
    "Git's helper for libsecret shares the items of ours",
    .enabled("Debian's git has its contrib folder") {
      FileManager.default.fileExists(atPath: gitHelper)
    })
  func git() throws {
    let bus = try PrivateBus()
    let helper = bus.sandbox.folder.appending(path: "helper").path
    let compiled = try bus.run(
      "sh", "-c", "cc -o \"$0\" \"$1\" $(pkg-config --cflags --libs libsecret-1 glib-2.0)", helper,
      Self.gitHelper)
    #expect(compiled.status == 0, "\(compiled.errors)")
    let host = "protocol=https\nhost=git.example.com\n"
    _ = try bus.run([helper, "store"], input: host + "username=ann\npassword=correct horse\n")
    let answer = "username=ann\npassword=correct horse\n"
    #expect(try bus.run([helper, "get"], input: host).output == answer)
    #expect(try bus.run(["git-credential-vaultctl", "get"], input: host).output.contains(answer))
    _ = try bus.run(
      ["git-credential-vaultctl", "store"], input: host + "username=ann\npassword=new\n")
    #expect(try bus.run([helper, "get"], input: host).output == "username=ann\npassword=new\n")
    _ = try bus.run([helper, "erase"], input: host + "username=ann\n")
    #expect(try bus.run([helper, "get"], input: host).output == "")
  }

  @Test("Docker's helper for the Secret Service shares the items of ours")
  func docker() throws {
    let bus = try PrivateBus()
    let helper = try Clients.program(
      "docker-credential-secretservice", of: "golang-docker-credential-helpers")
    let hub = "https://index.docker.io/v1/"
    let login = "{\"ServerURL\":\"\(hub)\",\"Username\":\"bob\",\"Secret\":\"token\"}\n"
    let stored = try bus.run(helper + ["store"], input: login)
    #expect(stored.status == 0, "\(stored.output)\(stored.errors)")
    for get in [helper + ["get"], ["docker-credential-vaultctl", "get"]] {
      #expect(try bus.run(get, input: hub).output == login)
    }
    let list = "{\"\(hub)\":\"bob\"}"
    #expect(try bus.run(helper + ["list"]).output.contains(list))
    let other = login.replacing(hub, with: "registry.example.com:5000")
    _ = try bus.run(["docker-credential-vaultctl", "store"], input: other)
    #expect(try bus.run(helper + ["get"], input: "registry.example.com:5000").output == other)
    #expect(try bus.run(helper + ["erase"], input: hub).status == 0)
    let missing = try bus.run(helper + ["get"], input: hub)
    #expect(missing.status == 1 && missing.output.contains("credentials not found"))
    #expect(try bus.run(["docker-credential-vaultctl", "list"]).output.contains("registry"))
  }

  @Test(
    "Python's SecretStorage and keyring work, by the tests that keyring has for every backend",
    arguments: [("storage_test.py", "6 passed"), ("keyring_test.py", "14 passed")])
  func python(suite: String, passed: String) throws {
    let bus = try PrivateBus()
    let result = try bus.run(Clients.suite(suite), limit: 120)
    #expect(result.output.contains(passed), "\(result.output)\(result.errors)")
    guard suite == "keyring_test.py" else { return }
    // It is the session's, as the tests want it, so nothing of it is in the file.
    #expect(try bus.run("vaultctl", "list").output == "")
  }
}
