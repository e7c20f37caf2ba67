import CredentialVault
import TestSupport
import Testing
import VaultModel

@Suite("The configuration")
struct ConfigurationTests {
  private func read(_ text: String) throws(VaultError) -> VaultConfiguration {
    try VaultConfiguration(text, at: "/c", home: "/home/ann")
  }

  @Test("has lines of name = value, comments and empty lines, with blanks anywhere")
  func lines() throws {
    let configuration = try read(
      """
      # mine
      \tsearch=~/own.vault\u{20}

      search = read-only /srv/team vault
        search = read-only owner:ci  /srv/a=b
      search = owner:7 read-only ~/x # y
      default = /home/ann/own.vault
      key = ~/vault.key
      """)
    #expect(
      configuration.entries == [
        ListedVault("/home/ann/own.vault"),
        ListedVault("/srv/team vault", isReadOnly: true),
        ListedVault("/srv/a=b", isReadOnly: true, owner: "ci"),
        ListedVault("/home/ann/x # y", isReadOnly: true, owner: "7"),
      ])
    #expect(configuration.namedDefault == "/home/ann/own.vault")
    #expect(configuration.keyFile == "/home/ann/vault.key")
  }

  @Test(
    "a line that means nothing is an error that names it and does not repeat it",
    arguments: [
      "secret", "secret = x", "SEARCH = /x", "= /x", "search", "search =", "key = x", "key = ~x",
      "key = ./x", "key =", "search = /x/", "search = ~/", "search = readonly /secret",
      "search = read-only", "search = read-only read-only /x", "search = owner: /x",
      "search = owner:secret /x", "search = read-only owner:a owner:b /x", "key = read-only /x",
      "default = read-only /x", "key = /secret\u{7}", "key = /secret\u{1B}[2J", "search = /a",
      "key = /secret\r", "git.prompt = secret", "git.prompt =", "git.store = YES",
      "git.store = read-only yes", "git.secret = yes", "docker.prompt = maybe",
      "docker.store = 15m",
    ])
  func faults(line: String) {
    let error = #expect(throws: VaultError.self) { try read("\nsearch = /a\n\(line)\n# z") }
    #expect(error?.code == .configuration)
    #expect(error?.context.hasPrefix("/c:3: ") == true)
    #expect(error?.context.contains("secret") == false)
  }

  @Test("each name but search is in one line only")
  func twice() {
    for name in VaultConfiguration.Name.allCases {
      let values = name.rawValue.hasPrefix("git.") ? ["yes", "no"] : ["/x", "/y"]
      let text = values.map { "\(name.rawValue) = \($0)\n" }.joined()
      if name == .search {
        #expect(throws: Never.self) { try read(text) }
      } else {
        expect(.configuration) { _ = try read(text) }
      }
    }
  }

  @Test("the default is the named vault, else the first that may be written, else the first")
  func standard() throws {
    #expect(try read("").defaultVault == nil)
    #expect(try read("default = /x").defaultVault == ListedVault("/x"))
    #expect(try read("search = /a\nsearch = /b").defaultVault?.path == "/a")
    #expect(try read("search = read-only /a\nsearch = /b").defaultVault?.path == "/b")
    #expect(try read("search = /a\nsearch = /b\ndefault = /b").defaultVault?.path == "/b")
    let all = try read("search = read-only /a\nsearch = read-only /b").defaultVault
    #expect(all == ListedVault("/a", isReadOnly: true))
    // It is one of the list, and one that may be written.
    expect(.configuration) { _ = try read("search = /a\ndefault = /b") }
    expect(.configuration) { _ = try read("search = read-only /a\ndefault = /a") }
  }

  @Test("a value that is yes or no is read, and every line is found by its number")
  func flags() throws {
    let configuration = try read("# x\ngit.prompt = no\n\nsearch = /a\nsearch = /b\ngit.store=yes")
    #expect(configuration.flag(.gitPrompt) == false)
    #expect(configuration.flag(.gitStore) == true)
    #expect(try read("").flag(.gitPrompt) == nil)
    for name in VaultConfiguration.Name.flags {
      #expect(try read("\(name.rawValue) = yes").flag(name) == true)
    }
    #expect(configuration.lineNumber(of: .gitPrompt) == 2)
    #expect(configuration.lineNumber(of: .search, path: "/b") == 5)
    #expect(configuration.lineNumber(of: .key) == nil)
  }

  @Test("a change of the list keeps every other line")
  func changes() throws {
    var configuration = try read("# one\nkey = ~/k\nsearch = ~/a\n# two\nsearch = /b\n\n# end")
    try configuration.setDefault("/b")
    try configuration.setEntries([
      ListedVault("/c d", isReadOnly: true, owner: "ci"), ListedVault("/b"),
    ])
    #expect(
      configuration.text
        == "# one\nkey = ~/k\nsearch = read-only owner:ci /c d\nsearch = /b\n# two\n\n# end\n"
        + "default = /b\n")
    // A default that is no longer in the list is none.
    try configuration.setEntries([ListedVault("/z")])
    #expect(configuration.text == "# one\nkey = ~/k\nsearch = /z\n# two\n\n# end\n")
    try configuration.setEntries([])
    #expect(configuration.text == "# one\nkey = ~/k\n# two\n\n# end\n")
  }

  @Test(
    "a vault that no line can hold is refused, and nothing changes",
    arguments: [
      ListedVault("/a\n"), ListedVault(" /a"), ListedVault("/a "), ListedVault("a"),
      ListedVault("/a/"), ListedVault("/b"), ListedVault("/a", owner: "ci"),
      ListedVault("/a", isReadOnly: true, owner: "c i"),
      ListedVault("/a", isReadOnly: true, owner: ""),
      ListedVault("read-only /a"), ListedVault(""), ListedVault("/a\nkey = /k"),
    ])
  func refused(_ vault: ListedVault) throws {
    var configuration = try read("search = /b\n")
    expect(.invalidArgument) { try configuration.setEntries([ListedVault("/b"), vault]) }
    #expect(configuration.text == "search = /b\n")
  }

  @Test("the default can only be a vault of the list that may be written")
  func settingDefault() throws {
    var configuration = try read("search = /a\nsearch = read-only /b\n")
    expect(.invalidArgument) { try configuration.setDefault("/c") }
    expect(.invalidArgument) { try configuration.setDefault("/b") }
    try configuration.setDefault("/a")
    #expect(configuration.text == "search = /a\nsearch = read-only /b\ndefault = /a\n")
    expect(.invalidArgument) { try configuration.setEntries([ListedVault("/a", isReadOnly: true)]) }
  }

  @Test("any text is read or refused, and what was read is written as it was")
  func anything() throws {
    var random = SplitMix(seed: 18)
    let parts = [
      "search", "default", "key", "=", " ", "\n", "#", "/", "~/", "a", "read-only", "owner:", "\t",
      "\r", "\0", "é", "/a", "\n\n", " = /b\n",
    ]
    var count = 0
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0..<12, using: &random))
        .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      do throws(VaultError) {
        let configuration = try read(text)
        count += 1
        #expect(configuration.text == (text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"))
        #expect(try read(configuration.text).entries == configuration.entries)
      } catch {
        #expect(error.code == .configuration)
      }
    }
    #expect(count > 1000)
  }
}
