import CredentialVault
import Foundation
import ProgramTesting
import SecureMemory
import Testing
import VaultModel

/// C programs that know Apple's names only.
@Suite("Keychain: programs that were written for Apple's", .serialized)
struct ProgramTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    try #require(try sandbox.installLibrary().status == 0, "make release builds the library")
    try #require(try sandbox.makeVault().status == 0)
  }

  private func compile(_ name: String, compiler: String = "gcc", language: String = "c") throws {
    try sandbox.compileForKeychain(name, compiler: compiler, language: language)
  }

  private func run(
    _ words: String..., environment: [String: String?] = [:], by runner: [String] = []
  ) throws -> Sandbox.Result {
    try sandbox.run(
      runner + [sandbox.folder.appending(path: words[0]).path] + words.dropFirst(),
      environment: environment)
  }

  @Test("a password is stored, found, changed and forgotten", arguments: ["gcc", "clang"])
  func account(_ compiler: String) throws {
    try compile("account", compiler: compiler)
    let missing = try run("account", "find", "Example.com", "ann")
    #expect(missing.status == 1)
    #expect(
      missing.errors == "find: The specified item could not be found in the keychain. (-25300)\n")
    #expect(try run("account", "store", "Example.com", "ann", "first").output == "added\n")
    let found = try run("account", "find", "example.com", "ann")
    #expect(found.lines == ["first", "example.com, https, dflt, no comment"])
    #expect(try run("account", "store", "example.com", "ann", "second").output == "changed\n")
    #expect(try run("account", "change", "example.com", "ann", "berta").status == 0)
    #expect(try run("account", "find", "example.com", "ann").status == 1)
    let renamed = try run("account", "find", "example.com", "berta")
    #expect(renamed.lines == ["second", "example.com, https, dflt, renamed"])
    let shown = try sandbox.run("vaultctl", "find", "-s", "example.com", "-w")
    #expect(shown.output == "second\n")
    #expect(try run("account", "forget", "example.com", "berta").status == 0)
    #expect(try run("account", "find", "example.com", "berta").status == 1)
  }

  @Test("without a vault, or its key, the default keychain says so")
  func noDefault() throws {
    try compile("account")
    let none = try run(
      "account", "find", "a", "b", environment: ["VAULTCTL_VAULT": "/nonexistent/vault"])
    #expect(none.errors == "find: There is no default vault. (-25307)\n")
    let locked = try run("account", "find", "a", "b", environment: ["VAULTCTL_KEY_FILE": nil])
    #expect(locked.errors == "find: User interaction is not allowed. (-25308)\n")
  }

  /// Creates two vaults: one that the environment's key opens, and one with a passphrase.
  private func makeInventory() throws -> (first: String, second: String) {
    let first = try #require(sandbox.environment["VAULTCTL_VAULT"])
    let second = sandbox.home.appending(path: "second.vault").path
    let key = try #require(sandbox.environment["VAULTCTL_KEY_FILE"])
    let opened = try Vault.open(path: first, key: .keyFile(key))
    func item(
      _ server: String, _ account: String, _ proto: NetworkProtocol
    ) throws -> Item {
      Item(
        server: try HostName(server), account: account, secret: Secret(server), protocol: proto)
    }
    var item1 = try item("a.example", "ann", .https)
    item1.port = 443
    item1.path = "/x"
    try opened.add(item1)
    try opened.add(item("b.example", "ann", .http))
    try opened.close()
    let made = try Vault.create(
      path: second, key: .passphrase(Secret("open sesame")), cost: .minimum)
    try made.add(item("c.example", "berta", .https))
    try made.add(item("d.example", "ann", .https))
    try made.close()
    return (first, second)
  }

  @Test("several keychains are opened, searched and tidied up", arguments: ["gcc", "clang"])
  func inventory(_ compiler: String) throws {
    try compile("inventory", compiler: compiler)
    let (first, second) = try makeInventory()
    let wrong = try run("inventory", "htps", "ann", "open says me", first, second)
    #expect(wrong.errors == "unlock: The user name or passphrase you entered is not correct.\n")
    let result = try run("inventory", "htps", "ann", "open sesame", first, second)
    #expect(
      result.lines == [
        "item a.example ann 443 /x (9)", "item d.example ann 0 - (9)",
        "item c.example berta 0 - (9)", "deleted one of ann", "deleted one of ann",
        "deleted one of ann", "locked: yes",
      ])
    #expect(result.status == 0 && result.errors.isEmpty)
    let none = try run("inventory", "htps", "ann", "open sesame", first + ".none")
    #expect(none.errors == "status: The specified keychain could not be found.\n")
  }

  @Test("they compile as C++, too")
  func plus() throws {
    try compile("inventory", compiler: "g++", language: "c++")
  }

  @Test(
    "declarations have the marks of Apple's headers",
    arguments: ["gcc", "clang", "g++", "clang++"])
  func declarations(_ compiler: String) throws {
    try sandbox.compileForKeychain(
      "declarations", compiler: compiler, language: compiler.hasSuffix("++") ? "c++" : "c")
    #expect(try run("declarations").status == 0)
  }

  @Test("they leak nothing")
  func leaks() throws {
    try compile("account")
    try compile("inventory")
    let (first, second) = try makeInventory()
    let valgrind = [
      "valgrind", "--quiet", "--leak-check=full", "--show-leak-kinds=definite",
      "--errors-for-leak-kinds=definite",
      "--error-exitcode=9",
    ]
    let stored = try run("account", "store", "a.example", "ann", "1", by: valgrind)
    #expect(stored.status == 0 && stored.errors.isEmpty, Comment(rawValue: stored.errors))
    let found = try run("account", "find", "a.example", "ann", by: valgrind)
    #expect(found.status == 0 && found.errors.isEmpty, Comment(rawValue: found.errors))
    let listed = try run(
      "inventory", "htps", "ann", "open sesame", first, second, by: valgrind)
    #expect(listed.status == 0 && listed.errors.isEmpty, Comment(rawValue: listed.errors))
  }

  @Test("the default keychain is locked until it is unlocked, and opened by its key until then")
  func steps() throws {
    try compile("steps")
    func steps(_ words: String..., environment: [String: String?] = [:]) throws -> [String] {
      try sandbox.run(
        [sandbox.folder.appending(path: "steps").path] + words, environment: environment
      ).lines
    }
    #expect(
      try steps("status", "find", "lock", "status", "find", "unlock", "find")
        == ["7", "-25300", "0", "6", "-25308", "0", "-25300"])
    #expect(try steps("lock", "find", "unlock", "find") == ["0", "-25308", "0", "-25300"])
    // A wrong password leaves the vault that the environment's key opens as it is.
    #expect(try steps("unlock=bad", "find") == ["-25293", "-25300"])
    #expect(try steps("stray") == ["-25295"])
    let noKey: [String: String?] = ["VAULTCTL_KEY_FILE": nil]
    #expect(
      try steps("find", "unlock", "status", environment: noKey) == ["-25308", "-25293", "6"])
  }
}
