import Foundation
import ProgramTesting
import Testing

/// The prompt of a real program at a real pseudo-terminal.
@Suite("TerminalPrompt", .timeLimit(.minutes(5))) struct TerminalPromptTests {
  private let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
  }

  private static var driver: String { Project.products.appending(path: "HTTPTestDriver").path }

  /// The terminal's output, and the answer that the driver reports.
  private struct Dialogue {
    let answer: String
    let shown: String
    let echoes: Bool
  }

  /// Asks a question at a new terminal: one that was hung up with its session is unusable.
  private func ask(
    _ words: String..., dialogue: [(shown: String, typed: String?)]
  ) throws -> Dialogue {
    try run([Self.driver] + words, dialogue)
  }

  private func run(
    _ words: [String], _ dialogue: [(shown: String, typed: String?)]
  ) throws -> Dialogue {
    let terminal = try PseudoTerminal()
    let result = try sandbox.run(words, at: terminal, dialogue)
    #expect(result.status == 0)
    #expect(result.errors == "")
    return Dialogue(answer: result.output, shown: terminal.shown, echoes: terminal.echoes)
  }

  /// Returns the driver's report of a credential with the password `secret`.
  private func used(
    _ user: String, domain: String = "", _ persistence: String = "session", count: Int = 6
  ) -> String {
    "use \(user), domain \(domain), \(persistence), \(count) bytes, expected: true; terminal as before: true\n"
  }

  private func said(_ answer: String) -> String { "\(answer); terminal as before: true\n" }

  // MARK: Answers

  @Test("who asks, how the password travels and what for is shown; the password is not")
  func credential() throws {
    let answer = try ask(
      "answer", "expected=secret", "realm=Team Git",
      dialogue: [("User: ", "ann"), ("Password: ", "secret"), ("[s]: ", "")])
    #expect(answer.answer == used("ann"))
    let shown = answer.shown
    #expect(
      shown.contains(
        "The server http://www.example.com:80 asks for a user and a password,"
          + " for \"http://www.example.com/page\"."))
    #expect(shown.contains("Realm: \"Team Git\""))
    #expect(shown.contains("Scheme: basic; the password will be sent in clear."))
    #expect(!shown.contains("refused"))
    #expect(!shown.contains("secret"))
    #expect(answer.echoes)
  }

  @Test("a proxy is called one, with its own host and port; over TLS or by Digest is securely")
  func proxy() throws {
    let answer = try ask(
      "answer", "proxy=proxy.example.com", "scheme=digest", "url=https://www.example.com:8443/",
      dialogue: [("User: ", ":w")])
    #expect(answer.answer == said("without"))
    #expect(
      answer.shown.contains(
        "The proxy proxy.example.com:3128 asks for a user and a password,"
          + " for \"https://www.example.com:8443/\"."))
    #expect(answer.shown.contains("Scheme: digest; the password will be sent securely."))
  }

  @Test("an empty user and an empty password are an answer")
  func empty() throws {
    let answer = try ask(
      "answer", "expected=", dialogue: [("User: ", ""), ("Password: ", ""), ("[s]: ", "n")])
    #expect(answer.answer == used("", "none", count: 0))
  }

  @Test("an empty line takes the user that failed, whose failure is shown; :e is the empty one")
  func suggestion() throws {
    let again = try ask(
      "answer", "failed=ann", "failures=2", "expected=secret",
      dialogue: [("User [ann]: ", ""), ("Password: ", "secret"), ("[s]: ", "g")])
    #expect(again.answer == used("ann", "permanent"))
    #expect(again.shown.contains("\"ann\" was refused; 2 in all were."))
    let empty = try ask(
      "answer", "failed=ann", "expected=secret", "offering=0",
      dialogue: [("User [ann]: ", ":e"), ("Password: ", "secret")])
    #expect(empty.answer == used("", "none"))
  }

  @Test("a stored user is used as stored")
  func stored() throws {
    let answer = try ask(
      "answer", "stored=ann,bob", dialogue: [("User [ann]: ", "bob")])
    #expect(answer.answer == said("stored bob"))
    #expect(answer.shown.contains("Stored: \"ann\", \"bob\"."))
    #expect(
      try ask("answer", "stored=ann", dialogue: [("[ann]: ", "")]).answer == said("stored ann"))
  }

  @Test("where the request is for a user no other one is taken")
  func account() throws {
    let answer = try ask(
      "answer", "account=ann", "expected=secret",
      dialogue: [
        ("User [ann]: ", "bob"), ("The request is for \"ann\".", nil), ("User [ann]: ", "ann"),
        ("Password: ", "secret"), ("[s]: ", "s"),
      ])
    #expect(answer.answer == used("ann"))
  }

  @Test("an account domain is asked for where it is wanted, unless it stands before the user")
  func domain() throws {
    let asked = try ask(
      "answer", "domain", "scheme=ntlm", "expected=secret",
      dialogue: [
        ("User: ", "ann"), ("Password: ", "secret"), ("Account domain: ", "TEAM"), ("[s]: ", ""),
      ])
    #expect(asked.answer == used("ann", domain: "TEAM"))
    let written = try ask(
      "answer", "domain", "scheme=ntlm", "expected=secret",
      dialogue: [("User: ", #"TEAM\ann"#), ("Password: ", "secret"), ("[s]: ", "")])
    #expect(written.answer == used("ann", domain: "TEAM"))
  }

  @Test(
    "a word with a colon is a command or nothing",
    arguments: [
      (":d", "decline"), (":w", "without"), (":c", "cancel request"), (":s", "cancel space"),
      (":a", "cancel all"),
    ])
  func commands(_ typed: String, _ said: String) throws {
    let answer = try ask(
      "answer",
      dialogue: [("User: ", "a:b"), ("no colon", nil), ("User: ", ":x"), ("User: ", typed)])
    #expect(answer.answer == self.said(said))
  }

  @Test(
    "what cannot be remembered for so long is not offered, and a word that is none is asked again")
  func offer() throws {
    let answer = try ask(
      "answer", "expected=secret", "offering=1",
      dialogue: [
        ("User: ", "ann"), ("Password: ", "secret"),
        ("Remember: (n)o, this (s)ession [s]: ", "g"),
        ("Remember: (n)o, this (s)ession [s]: ", "what"), ("[s]: ", "no"),
      ])
    #expect(answer.answer == used("ann", "none"))
  }

  // MARK: Keys

  @Test("Ctrl-C cancels all, Ctrl-D the space, wherever, and the terminal is as before")
  func control() throws {
    #expect(try ask("answer", dialogue: [("User: ", "^C")]).answer == said("cancel all"))
    #expect(try ask("answer", dialogue: [("User: ", "^D")]).answer == said("cancel space"))
    for (key, answer) in [("^C", "cancel all"), ("^D", "cancel space")] {
      let hidden = try ask("answer", dialogue: [("User: ", "ann"), ("Password: ", key)])
      #expect(hidden.answer == said(answer))
      #expect(hidden.echoes)
    }
  }

  @Test("Ctrl-Z stops the program with the terminal as before, and continued it asks again")
  func stopping() throws {
    let script = """
      set -m
      "$0" answer expected=secret
      echo "status $?; $(stty -a </dev/tty | grep -ow -e '-\\?echo' -e '-\\?isig' | tr '\\n' ' ')"
      fg >/dev/null
      """
    let stopped = try run(
      ["sh", "-c", script, Self.driver],
      [("User: ", "ann"), ("Password: ", "^Z"), ("Password: ", "secret"), ("[s]: ", "")])
    #expect(stopped.answer == "status 148; isig echo \n" + used("ann"))
  }

  // MARK: Others' words

  @Test("a realm cannot end its line, command the terminal, turn the text round or fill the screen")
  func hostileRealm() throws {
    let realm =
      "a\"\u{1B}[2J\u{9B}1m\r\nUser: \u{202E}\u{200B}\u{2028}\u{AD}\u{E0041}\\"
      + String(repeating: "x", count: 500)
    let answer = try ask("answer", "realm=\(realm)", dialogue: [("User: ", nil), ("User: ", ":c")])
    #expect(answer.answer == said("cancel request"))
    let line = try #require(answer.shown.split(separator: "\r\n").first { $0.hasPrefix("Realm") })
    #expect(
      line.hasPrefix(
        #"Realm: "a\"\u{1b}[2J\u{9b}1m\u{d}\u{a}User: \u{202e}\u{200b}\u{2028}\u{ad}\u{e0041}\\xxx"#
      ))
    #expect(line.hasSuffix("x…\""))
    #expect(line.count < 200)
    let allowed = answer.shown.unicodeScalars.filter { $0 != "\r" && $0 != "\n" }
    #expect(allowed.allSatisfy { $0.value >= 0x20 && ($0.value < 0x7F || $0 == "…") })
  }

  @Test("a user name with control characters or bytes that are no text is asked for again")
  func controlInUser() throws {
    let answer = try ask(
      "answer", dialogue: [("User: ", "\u{1B}[A"), ("That is no text.", nil), ("User: ", ":d")])
    #expect(answer.answer == said("decline"))
  }

  // MARK: Nobody there

  @Test("without a terminal, or in the background, it goes on without at once and finds no key")
  func nobody() throws {
    let result = try sandbox.run(Self.driver, "answer")
    #expect(result.output == said("without"))
    #expect(try sandbox.run(Self.driver, "key").output == said("no key"))
    let background = try run(["sh", "-c", "set -m; \"$0\" answer & wait", Self.driver], [])
    #expect(background.answer == said("without"))
    #expect(!background.shown.contains("User"))
  }

  @Test("a cancelled task ends the prompt that waits, and the terminal shows what is typed again")
  func cancelling() throws {
    let hidden = try ask("answer", "cancel=hidden", dialogue: [("User: ", "ann")])
    #expect(hidden.answer == said("cancel request"))
    #expect(hidden.echoes)
    #expect(try ask("answer", "cancel=before", dialogue: []).answer == said("cancel request"))
    #expect(try ask("key", "cancel=hidden", dialogue: []).answer == said("no key"))
  }

  // MARK: A whole program

  @Test("a program downloads a page: a wrong password is asked for again, and the right one once")
  func download() throws {
    let program = try ask(
      "download", "expected=secret",
      dialogue: [
        ("Realm: \"Team Git\"", nil), ("User: ", "ann"), ("Password: ", "wrong"), ("[s]: ", ""),
        ("\"ann\" was refused; 1 in all", nil), ("User [ann]: ", ""), ("Password: ", "secret"),
        ("[s]: ", ""),
      ])
    #expect(program.answer == said("200 done after 3, 200 done after 1"))
    #expect(!program.shown.contains("secret"))
  }

  // MARK: The vault's passphrase

  @Test("the vault's passphrase is asked for by the vault's path, and is not shown")
  func key() throws {
    let answer = try ask(
      "key", "path=/home/ann/my.vault", "failures=1", "expected=secret",
      dialogue: [
        ("The passphrase was wrong.", nil), ("Passphrase for /home/ann/my.vault: ", "secret"),
      ])
    #expect(answer.answer == said("passphrase, 6 bytes, expected: true"))
    #expect(!answer.shown.contains("secret"))
    #expect(
      try ask("key", dialogue: [("Passphrase for the vault in memory: ", "^C")]).answer
        == said("no key"))
  }
}
