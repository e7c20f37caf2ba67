import Foundation
import ProgramTesting
import TestTraits
import Testing

/// `vaultctl import secret-service`, from a service on a bus of its own.
@Suite("Import of a Secret Service", .waiting)
struct ImportingTests {
  /// Attributes as Git, Docker, Chromium, NetworkManager, keytar and a careless program write them.
  private static let sets: [[String]] = [
    [
      "xdg:schema", "org.git.Password", "user", "ann", "protocol", "https", "server", "git.example",
    ],
    [
      "xdg:schema", "io.docker.Credentials", "label", "Docker Credentials", "docker_cli", "1",
      "server", "https://index.docker.io/v1/", "username", "ann",
    ],
    ["xdg:schema", "chrome_libsecret_os_crypt_password_v2", "application", "chromium"],
    [
      "xdg:schema", "org.freedesktop.NetworkManager.Connection", "connection-uuid", "1-2",
      "setting-name", "802-11-wireless-security", "setting-key", "psk",
    ],
    ["service", "github.com", "account", "ann@example.com"],
    ["empty", "", "Case", "Kept", "path", "/a/b?c=d"],
  ]

  private func run(
    _ bus: PrivateBus, _ words: [String], input: String = "", on other: PrivateBus? = nil
  ) throws -> Sandbox.Result {
    let address = other.map { "unix:path=\($0.sandbox.home.path)/bus" }
    return try bus.run(
      words, input: input, environment: address.map { ["DBUS_SESSION_BUS_ADDRESS": $0] } ?? [:])
  }

  @Test("every program finds its items by the same question, with their secrets as they were")
  func questions() throws {
    let (old, new) = (try PrivateBus(idle: 60), try PrivateBus())
    let tool = try Clients.program("secret-tool", of: "libsecret-tools")
    for (number, set) in Self.sets.enumerated() {
      let stored = try old.run(
        tool + ["store", "--label=Label \(number)"] + set, input: "secret \(number) ä\u{1}")
      #expect(stored.status == 0, "\(stored.errors)")
    }
    let words = ["vaultctl", "import", "secret-service"]
    let imported = try run(new, words, on: old)
    #expect(imported.status == 0, "\(imported.output)\(imported.errors)")
    #expect(imported.output.contains("imported: \(Self.sets.count) new"), "\(imported.output)")
    for (number, set) in Self.sets.enumerated() {
      #expect(try new.run(tool + ["lookup"] + set).output == "secret \(number) ä\u{1}")
    }
    let listed = try new.run(tool + ["search", "--all", "Case", "Kept"])
    #expect(listed.output.contains("label = Label 5"), "\(listed.output)")
    let git = try new.run(
      ["git-credential-vaultctl", "get"], input: "protocol=https\nhost=git.example\n")
    #expect(git.output.contains("username=ann\npassword=secret 0 ä"), "\(git.output)")
    let again = try run(new, words, on: old)
    #expect(again.output.contains("\(Self.sets.count) identical"), "\(again.output)")
  }

  @Test("binary secrets come along, and what the service does not give is named")
  func binary() throws {
    let (old, new) = (try PrivateBus(idle: 60), try PrivateBus())
    let tool = try Clients.program("secret-tool", of: "libsecret-tools")
    // The tool writes an argument's text; a pipe gives it any bytes but NUL.
    let stored = try old.run(
      ["sh", "-c", "printf '\\377\\200x' | \"$@\"", "sh"] + tool
        + ["store", "--label=Bytes", "kind", "bytes"])
    #expect(stored.status == 0, "\(stored.errors)")
    let imported = try run(new, ["vaultctl", "import", "secret-service"], on: old)
    #expect(imported.output.contains("imported: 1 new"), "\(imported.output)\(imported.errors)")
    let bytes = try new.run(
      ["sh", "-c", "\"$@\" | od -An -tx1", "sh"] + tool + ["lookup", "kind", "bytes"])
    #expect(bytes.output.contains("ff 80 78"), "\(bytes.output)")
  }

  @Test("without a service, and in a vault that a policy closes, nothing is imported")
  func failures() throws {
    let (old, new) = (try PrivateBus(), try PrivateBus())
    let words = ["vaultctl", "import", "secret-service"]
    let file = try run(new, words + ["file"], on: old)
    #expect(file.status == 64 && file.errors.contains("asks the session bus"), "\(file.errors)")
    let address = "unix:path=\(new.sandbox.home.path)/none"
    let none = try new.run(words, environment: ["DBUS_SESSION_BUS_ADDRESS": address])
    #expect(none.status == 69 && none.errors.contains("no session bus"), "\(none.errors)")
    let empty = try run(new, words, on: old)
    #expect(empty.status == 0 && empty.output.contains("0 new"), "\(empty.output)")
  }
}
