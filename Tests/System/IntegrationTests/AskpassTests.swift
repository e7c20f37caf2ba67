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

  /// A connection of ssh to a server that asks for what it likes, and that accepts any key.
  ///
  /// The host is an alias of ssh's configuration, so only ssh knows where it leads.
  ///
  /// - Returns: What the server got, line by line.
  private func connect(_ options: String, questions: [String]) throws -> [String] {
    let server = Project.root.appending(
      path: "Tests/System/IntegrationTests/Programs/asking_server.py")
    let script = """
      server=$1; shift; mkfifo port; /usr/bin/python3 "$server" "$@" > port & {
        read -r port
        printf 'Host shell\n HostName 127.0.0.1\n User ann\n Port %s\n' "$port" > config
        printf own | vaultctl add -q "ssh://ann@127.0.0.1:$port" --password-stdin
        ssh -n -F config -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
          -o NumberOfPasswordPrompts=1 \(options) shell true 2> messages
        cat
      } < port
      """
    let run = try sandbox.run(
      ["sh", "-c", script, "sh", server.path] + questions,
      environment: ["SSH_ASKPASS": "vaultctl-askpass", "SSH_ASKPASS_REQUIRE": "force"])
    #expect(run.errors == "")
    return run.lines
  }

  @Test("a server that ssh connects to gets the password of that connection, whatever it asks for")
  func server() throws {
    try add("https://ann@git.example.com", secret: "of git")
    try add("ssh://bob@other.example.com", secret: "of another host")
    try add("--service", "OpenSSH", "-a", "/home/ann/.ssh/id", secret: "phrase")
    let answers = try connect(
      "-o PubkeyAuthentication=no",
      questions: [
        "Username for 'https://git.example.com': ", "Password for 'https://ann@git.example.com': ",
        "bob@other.example.com's password: ", "(bob@other.example.com) Password: ",
        "Enter passphrase for key '/home/ann/.ssh/id': ", "Password: ",
      ])
    #expect(
      answers == Array(repeating: "answer ", count: 5) + ["answer own", "password own"])
  }

  @Test("ssh itself gets the passphrase of a key that it wants to use")
  func keyOfConnection() throws {
    let key = sandbox.home.appending(path: "key").path
    let made = try sandbox.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "phrase", "-f", key)
    try #require(made.status == 0, "\(made.errors)")
    try add("--service", "OpenSSH", "-a", key, secret: "phrase")
    #expect(try connect("-o IdentitiesOnly=yes -i \(key)", questions: []) == ["key accepted"])
  }
}
