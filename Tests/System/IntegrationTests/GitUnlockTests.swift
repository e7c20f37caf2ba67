import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The number of times that a vault with a passphrase asks while Git pushes to a real server.
@Suite("git and a passphrase", .waiting)
struct GitUnlockTests {
  private static let works: Bool = {
    // add_key and keyctl are denied together in containers; /proc/keys is then mostly empty.
    (try? Sandbox().run(
      "KeyringTool", "count", "vaultctl:",
      environment: [
        "PATH": Project.products.path
          + ":/usr/bin:/bin"
      ]
    ).status) == 0
  }()

  private let sandbox: Sandbox
  private let server: GitServer
  private let passphrase = "staple"

  /// Makes a server, a repository with its credential in a vault with a passphrase, and a clone.
  init() throws {
    sandbox = try Sandbox()
    server = try GitServer(in: sandbox, users: ["ann": "correct horse"], repositories: ["one"])
    try run("sh", "-c", "umask 077; printf \(passphrase) > pass")
    try run("vaultctl", "init", "-q", "--passphrase-file", "pass", "--kdf", "1:8")
    try run(
      "sh", "-c",
      "printf 'correct horse' | vaultctl add -q --passphrase-file pass -r http -s 127.0.0.1"
        + " -P \(server.port) -d 'Team Git' -a ann --password-stdin")
    try run("git", "config", "--global", "credential.helper", "vaultctl")
    try run(
      "env", "VAULTCTL_PASSPHRASE_FILE=pass", "git", "clone", "-q", server.url("one"), "work")
    try run("sh", "-c", "git -C work checkout -q -b main 2>/dev/null || true")
  }

  private func run(
    _ words: String..., from location: SourceLocation = #_sourceLocation
  ) throws {
    let result = try sandbox.run(words, environment: ["VAULTCTL_KEY_FILE": .none])
    try #require(result.status == 0, "\(result.errors)", sourceLocation: location)
  }

  /// Runs a command at a terminal, where every prompt is answered, and returns how many there were.
  private func prompts(_ command: String) throws -> Int {
    let terminal = try PseudoTerminal()
    let result = try sandbox.run(
      ["sh", "-c", command],
      environment: ["VAULTCTL_KEY_FILE": .none, "GIT_TERMINAL_PROMPT": .none], at: terminal,
      Array(repeating: ("Passphrase for ", passphrase), count: 30))
    #expect(result.status == 0, "\(result.errors)")
    return terminal.shown.components(separatedBy: "Passphrase for ").count - 1
  }

  private static let push =
    "git -C work commit -q --allow-empty -m Go && git -C work push -q origin HEAD:main"

  @Test(
    "ten pushes prompt once with unlock",
    .enabled(if: works, "the kernel's keyrings are denied here"))
  func unlocked() throws {
    #expect(try prompts("vaultctl unlock -q") == 1)
    #expect(
      try prompts("for i in 1 2 3 4 5 6 7 8 9 10; do \(Self.push) || exit; done") == 0)
    try run("vaultctl", "lock", "-q")
    func pushes(_ requests: [String]) -> Int { requests.count { $0.hasPrefix("ann POST") } }
    #expect(pushes(try server.requests { pushes($0) >= 10 }) >= 10)
  }

  @Test(
    "a push prompts once with --remember=operation, and nothing is left of it",
    .enabled(if: works, "the kernel's keyrings are denied here"))
  func operation() throws {
    try run("git", "config", "--global", "credential.helper", "vaultctl --remember=operation")
    #expect(try prompts(Self.push) == 1)
    let status = try sandbox.run(
      "vaultctl", "status", "-q", environment: ["VAULTCTL_KEY_FILE": .none])
    #expect(status.status == 36)
    #expect(try prompts(Self.push) == 1)
  }

  @Test("without any of it, a push prompts for get, and an older Git again for store")
  func twice() throws {
    let version = try sandbox.run("git", "version").output
    let isOld = version.contains(/version 2\.([0-9]|[1-3][0-9]|4[0-5])\./)
    #expect(try prompts(Self.push) == (isOld ? 2 : 1))
  }
}
