import Foundation
import TestTraits
import Testing

/// Each form of question, from each kind of program: the vault has an answer to all of them.
@Suite("the programs that askpass answers", .waiting)
struct AskpassParentTests {
  /// The questions by name; the connection of ssh is always that of ann to shell.example.com.
  private static let questions = [
    ("user", "Username for 'https://git.example.com': "),
    ("https", "Password for 'https://ann@git.example.com': "),
    ("own", "ann@shell.example.com's password: "),
    ("own-marked", "(ann@shell.example.com) Password: "),
    ("other", "bob@other.example.com's password: "),
    ("other-marked", "(bob@other.example.com) Password: "),
    ("key", "Enter passphrase for key '/home/ann/.ssh/id_ed25519': "),
    ("key-added", "Enter passphrase for /home/ann/.ssh/id_ed25519: "),
    ("https-marked", "(ann@shell.example.com) Password for 'https://ann@git.example.com': "),
    ("host-key", "Are you sure you want to continue connecting (yes/no/[fingerprint])? "),
  ]

  /// A program, and the questions of it that are answered.
  struct Row: Sendable, CustomTestStringConvertible {
    let program: String
    var version: String? = nil
    /// Starts askpass as another program does; the rest of the words follow it.
    var start: String? = nil
    var hint: String? = nil
    let answered: [String]

    var testDescription: String {
      [program, version, start, hint].compactMap(\.self).joined(separator: " ")
    }
  }

  private static let connections = ["own", "own-marked"]
  private static let keys = ["key", "key-added"]

  static let rows = [
    Row(program: "git", answered: ["user", "https"]),
    Row(program: "git-remote-http", answered: ["user", "https"]),
    Row(program: "git-imap-send", answered: ["user", "https"]),
    Row(program: "ssh", version: "OpenSSH_10.0p1", answered: connections + keys),
    Row(program: "ssh", version: "OpenSSH_8.5p1", answered: connections + keys),
    Row(program: "ssh", version: "OpenSSH_8.4p1", answered: connections),
    Row(program: "ssh", version: "OpenSSH_7.2p2", answered: connections),
    Row(program: "ssh", version: "Dropbear v2022.83", answered: connections),
    Row(program: "ssh", hint: "none", answered: []),
    Row(program: "ssh", hint: "confirm", answered: []),
    Row(program: "ssh-add", answered: keys),
    Row(program: "ssh-add", hint: "confirm", answered: []),
    Row(program: "ssh-keygen", answered: keys),
    Row(program: "ssh-agent", answered: []),
    Row(program: "dbclient", answered: []),
    Row(program: "git-remote-hg", answered: []),
    // A script has the program of its interpreter.
    Row(program: "script named ssh", start: "$WORK/script/ssh", answered: []),
    Row(program: "script under git", start: "$WORK/askers/git $WORK/script/ssh", answered: []),
    Row(
      program: "script that execs", start: "$WORK/askers/git $WORK/script/git",
      answered: ["user", "https"]),
    Row(program: "shell", start: "", answered: []),
  ]

  @Test("each program gets the answers to its own questions alone", arguments: rows)
  func row(_ row: Row) throws {
    let workplace = try ProgramFixture()
    let command =
      row.start
      ?? "$WORK/askers/\(row.program) \(row.program == "ssh" ? "ann@shell.example.com" : "")"
    var script = """
      vaultctl init -q
      printf 1 | vaultctl add -q https://ann@git.example.com --password-stdin
      printf 2 | vaultctl add -q ssh://ann@shell.example.com --password-stdin
      printf 3 | vaultctl add -q ssh://bob@other.example.com --password-stdin
      printf 4 | vaultctl add -q --service OpenSSH -a /home/ann/.ssh/id_ed25519 --password-stdin
      mkdir askers script
      for name in git git-remote-http git-imap-send git-remote-hg ssh ssh-add ssh-keygen ssh-agent dbclient; do
        cp bin/asking-tool askers/$name
      done
      printf '#!/bin/sh\\nvaultctl-askpass "$@"; exit $?\\n' > script/ssh
      printf '#!/bin/sh\\nexec vaultctl-askpass "$@"\\n' > script/git
      chmod 700 script/*

      """
    if let version = row.version { script += "export ASKING_VERSION='\(version)'\n" }
    if let hint = row.hint { script += "export SSH_ASKPASS_PROMPT=\(hint)\n" }
    let program = row.start?.contains("script") == true ? "" : "vaultctl-askpass"
    for (name, question) in Self.questions {
      script += "\(command) \(program) \"\(question)\" > out && [ -s out ] && echo \(name)\n"
    }
    let run = try workplace.run(script)
    #expect(String(decoding: run.messages, as: UTF8.self) == "")
    let answered = String(decoding: run.output, as: UTF8.self).split(separator: "\n")
    #expect(answered.map(String.init) == row.answered)
  }
}
