import Foundation
import ProgramTesting
import Testing

/// Programs in the call patterns of well-known ones for macOS, beside `vaultctl` and the Git helper
/// on one vault.
@Suite("Keychain: programs as they are written for macOS", .serialized)
struct RealProgramTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    try #require(try sandbox.installLibrary().status == 0, "make release builds the library")
    try #require(try sandbox.makeVault().status == 0)
  }

  static let compilers = ["gcc", "clang"]

  @Test("a mail program finds the password of its protocol", arguments: compilers)
  func mail(_ compiler: String) throws {
    try sandbox.compileForKeychain("mail", compiler: compiler)
    #expect(try sandbox.runProgram("mail", "smtp", "mail.example", "ann").status == 1)
    for (name, secret) in [("smtp", "outgoing"), ("imap", "incoming")] {
      let added = try sandbox.run(
        "vaultctl", "add", "-s", "mail.example", "-a", "ann", "-r", name, "-t", "dflt",
        "--password-stdin", input: secret)
      try #require(added.status == 0, Comment(rawValue: added.errors))
    }
    let found = try sandbox.runProgram("mail", "smtp", "mail.example", "ann")
    #expect(found.output == "outgoing\n")
    #expect(try sandbox.runProgram("mail", "imap", "mail.example", "ann").output == "incoming\n")
  }

  private func credential(_ lines: String...) -> String { lines.joined(separator: "\n") + "\n\n" }

  @Test(
    "both generations of Git's helper and ours serve one vault",
    arguments: ["git_keychain", "git_item"], compilers)
  func git(_ helper: String, _ compiler: String) throws {
    try sandbox.compileForKeychain(helper, compiler: compiler)
    let place = ["protocol=https", "host=git.example:8443"]
    func description(_ more: String...) -> String {
      (place + more).joined(separator: "\n") + "\n\n"
    }
    let none = try sandbox.runProgram(helper, "get", input: description())
    #expect(none.status == 0 && none.output.isEmpty)
    let stored = try sandbox.runProgram(
      helper, "store", input: description("username=ann", "password=first"))
    #expect(stored.status == 0, Comment(rawValue: stored.errors))
    let found = try sandbox.runProgram(helper, "get", input: description())
    #expect(found.lines == ["password=first", "username=ann"])
    let ours = try sandbox.run("git-credential-vaultctl", "get", input: description())
    #expect(ours.lines.contains("password=first") && ours.lines.contains("username=ann"))
    let shown = try sandbox.run("vaultctl", "find", "-s", "git.example", "-w")
    #expect(shown.output == "first\n")
    let erased = try sandbox.runProgram(helper, "erase", input: description("username=ann"))
    #expect(erased.status == 0)
    #expect(try sandbox.run("vaultctl", "find", "-s", "git.example", "-w").status != 0)
  }

  @Test("the present helper replaces a password, keeps its expiry, and erases only the same one")
  func gitItem() throws {
    try sandbox.compileForKeychain("git_item")
    let place = ["protocol=https", "host=git.example", "path=a.git", "username=ann"]
    func run(_ verb: String, _ more: String...) throws -> Sandbox.Result {
      try sandbox.runProgram(
        "git_item", verb, input: (place + more).joined(separator: "\n") + "\n\n")
    }
    #expect(try run("store", "password=first").status == 0)
    #expect(try run("store", "password=second", "password_expiry_utc=99999999999").status == 0)
    #expect(try run("get").lines == ["password=second", "password_expiry_utc=99999999999"])
    #expect(try run("erase", "password=first").status == 0)
    #expect(try run("get").lines.first == "password=second")
    #expect(try run("erase").status == 0)
    #expect(try run("get").output.isEmpty)
  }

  @Test("a registry's passwords are labelled, listed and deleted", arguments: compilers)
  func registry(_ compiler: String) throws {
    try sandbox.compileForKeychain("registry", compiler: compiler)
    let empty = try sandbox.runProgram("registry", "list")
    #expect(
      empty.status == 1
        && empty.errors == "The specified item could not be found in the keychain.\n")
    #expect(
      try sandbox.runProgram("registry", "add", "a.example", "/v1/", "ann", "one").status == 0)
    #expect(
      try sandbox.runProgram("registry", "add", "b.example", "", "bert\u{E9}", "two").status == 0)
    let other = try sandbox.run(
      "vaultctl", "add", "-s", "c.example", "-a", "ann", "-r", "https", "--password-stdin",
      input: "three")
    #expect(other.status == 0)
    let list = try sandbox.runProgram("registry", "list")
    #expect(
      list.lines.sorted() == ["https://a.example/v1/ ann", "https://b.example bert\u{E9}"])
    #expect(
      try sandbox.runProgram("registry", "get", "a.example", "/v1/").output == "ann (3) one (3)\n")
    let again = try sandbox.runProgram("registry", "add", "a.example", "/v1/", "ann", "one")
    #expect(again.errors == "The specified item already exists in the keychain.\n")
    #expect(try sandbox.runProgram("registry", "delete", "a.example", "/v1/").status == 0)
    #expect(try sandbox.runProgram("registry", "list").lines.count == 1)
    let shown = try sandbox.run("vaultctl", "find", "-l", "Registry Credentials", "-w")
    #expect(shown.output == "two\n")
  }

  @Test("the credentials for a challenge are saved with a label, and found", arguments: compilers)
  func challenge(_ compiler: String) throws {
    try sandbox.compileForKeychain("challenge", compiler: compiler)
    #expect(try sandbox.runProgram("challenge", "www.example", "Staff").status == 1)
    let saved = try sandbox.runProgram("challenge", "www.example", "Staff", "ann", "pass word")
    #expect(saved.lines == ["saved: 0", "ann:pass word"])
    #expect(
      try sandbox.runProgram("challenge", "www.example", "Staff").output == "ann:pass word\n")
    let shown = try sandbox.run("vaultctl", "find", "-l", "www.example (Staff)", "-w")
    #expect(shown.output == "pass word\n")
  }

  @Test("a persistent reference is read by other processes, also after a new name")
  func reference() throws {
    try sandbox.compileForKeychain("reference")
    let added = try sandbox.run(
      "vaultctl", "add", "--service", "api", "-a", "ann", "--password-stdin", input: "token")
    try #require(added.status == 0, Comment(rawValue: added.errors))
    let reference = try #require(try sandbox.runProgram("reference", "make", "api").lines.first)
    #expect(reference.count == 40)
    #expect(try sandbox.runProgram("reference", "read", reference).output == "token\n")
    let renamed = try sandbox.run(
      "vaultctl", "modify", "--service", "api", "--set-service", "api2", "--set-account", "bob")
    try #require(renamed.status == 0, Comment(rawValue: renamed.errors))
    #expect(try sandbox.runProgram("reference", "make", "api").status == 1)
    #expect(try sandbox.runProgram("reference", "read", reference).output == "token\n")
    #expect(try sandbox.runProgram("reference", "secret", reference).output == "token\n")
    #expect(try sandbox.run("vaultctl", "rm", "--service", "api2").status == 0)
    #expect(try sandbox.runProgram("reference", "read", reference).status == 1)
    #expect(try sandbox.runProgram("reference", "secret", reference).status == 1)
  }

  @Test("none of them leaks or reads what is not its own")
  func memory() throws {
    let valgrind = [
      "valgrind", "--quiet", "--leak-check=full", "--show-leak-kinds=definite",
      "--errors-for-leak-kinds=definite", "--error-exitcode=9",
    ]
    for name in ["git_item", "registry", "challenge"] { try sandbox.compileForKeychain(name) }
    let item = credential(
      "protocol=https", "host=git.example:80", "username=ann", "password=first")
    for verb in ["store", "store", "get", "erase"] {
      let result = try sandbox.runProgram("git_item", verb, input: item, by: valgrind)
      #expect(result.status == 0 && result.errors.isEmpty, Comment(rawValue: result.errors))
    }
    let runs = [
      ["registry", "add", "a.example", "/", "ann", "one"], ["registry", "list"],
      ["challenge", "www.example", "Staff", "ann", "one"],
    ]
    for words in runs {
      let program = sandbox.folder.appending(path: words[0]).path
      let result = try sandbox.run(valgrind + [program] + words.dropFirst())
      #expect(result.status == 0 && result.errors.isEmpty, Comment(rawValue: result.errors))
    }
  }
}
