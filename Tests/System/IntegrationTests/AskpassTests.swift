import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The questions of the real git and ssh-add.
@Suite("vaultctl-askpass under git and ssh", .waiting)
struct AskpassTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    try #require(try sandbox.makeVault().status == 0)
  }

  private func add(_ words: String..., secret: String) throws {
    let added = try sandbox.run(
      ["vaultctl", "add", "-q"] + words + ["--password-stdin"], input: secret)
    try #require(added.status == 0, "\(added.errors)")
  }

  @Test("git gets user and password, each by its question")
  func git() throws {
    try add("https://ann%40corp.example@git.example.com", secret: "one two")
    let filled = try sandbox.run(
      "git", "credential", "fill", input: "protocol=https\nhost=git.example.com\n\n",
      environment: ["GIT_ASKPASS": "vaultctl-askpass"])
    #expect(filled.errors == "")
    #expect(filled.lines.contains("username=ann@corp.example"))
    #expect(filled.lines.contains("password=one two"))
  }

  @Test("git is told nothing of a place that is not in the vault")
  func miss() throws {
    let filled = try sandbox.run(
      "git", "credential", "fill", input: "protocol=https\nhost=other.example.com\n\n",
      environment: ["GIT_ASKPASS": "vaultctl-askpass"])
    #expect(filled.status != 0)
    #expect(!filled.errors.contains("vaultctl: "))
  }

  @Test(
    "ssh-add gets the passphrase of a key, and a wrong one is not given for ever",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ssh-add"), "no ssh"))
  func ssh() throws {
    let key = sandbox.home.appending(path: "key").path
    let made = try sandbox.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "phrase", "-f", key)
    try #require(made.status == 0, "\(made.errors)")
    try add("--service", "OpenSSH", "-a", key, secret: "phrase")
    let variables = ["SSH_ASKPASS": "vaultctl-askpass", "SSH_ASKPASS_REQUIRE": "force"]
    let words = ["ssh-agent", "sh", "-c", "ssh-add -q \"$0\" && ssh-add -l", key]
    let added = try sandbox.run(words, environment: variables)
    #expect(added.status == 0, "\(added.errors)")
    #expect(added.output.contains("ED25519"))
    let changed = try sandbox.run(
      ["vaultctl", "modify", "-q", "--service", "OpenSSH", "-a", key, "--password-stdin"],
      input: "wrong")
    try #require(changed.status == 0, "\(changed.errors)")
    #expect(try sandbox.run(words, environment: variables).status != 0)
  }
}
