import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The keys of somebody who types in a shell.
@Suite("Completions in zsh", .waiting)
struct CompletionTests {
  /// As `make install` places the script, and as `vaultctl setup shell` loads it for a user who has
  /// no completions yet.
  private static let loading = [
    "vaultctl completion zsh >_vaultctl; fpath=($HOME $fpath); autoload -Uz compinit; compinit -uD",
    "source <(vaultctl completion zsh)",
  ]

  @Test(
    "a host and a service from the vault are completed, from the first time on, and from the line's",
    arguments: loading)
  func names(_ loading: String) throws {
    let sandbox = try Sandbox()
    try #require(try sandbox.makeVault().status == 0)
    for (words, secret) in [(["ann@git.example.com"], "one"), (["--service", "npm"], "two")] {
      let added = try sandbox.run(
        ["vaultctl", "add", "-q", "--password-stdin"] + words, input: secret)
      try #require(added.status == 0, "\(added.errors)")
    }
    let other = try sandbox.run(
      "sh", "-c",
      """
      vaultctl init -q --vault other
      echo far | vaultctl add -q --vault other https://eve@far.example.com --password-stdin
      """)
    try #require(other.status == 0, "\(other.errors)")
    // The quotes keep what is waited for out of the line that is typed; output goes to a file.
    let dialogue = [
      ("ready", "\(loading); print loa''ded >/dev/tty"),
      ("loaded", "vaultctl find -w git.\t >first; print o''ne >/dev/tty"),
      ("one", "vaultctl find np\t -w >second; print t''wo >/dev/tty"),
      ("two", "vaultctl --vault other find fa\t -w >third; print th''ree >/dev/tty"),
      ("three", "vaultctl find --vault other fa\t -w >fourth; print fo''ur >/dev/tty"),
      ("four", "exit"),
    ]
    _ = try sandbox.run(
      ["zsh", "-f", "-i"], environment: ["TERM": "dumb", "PS1": "ready "],
      at: PseudoTerminal(), dialogue)
    let answers = try ["first", "second", "third", "fourth"].map { name in
      try String(contentsOf: sandbox.home.appending(path: name), encoding: .utf8)
    }
    #expect(answers == ["one\n", "two\n", "far\n", "far\n"])
  }
}
