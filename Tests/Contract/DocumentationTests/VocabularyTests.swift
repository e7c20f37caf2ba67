import Foundation
import ProgramTesting
import Testing
import VaultModel
import VaultReports

/// Holds public names to the vocabulary of `CONTRIBUTING.md`.
@Suite("the vocabulary")
struct VocabularyTests {
  /// A place where names are public, and how names are found in it.
  struct Source: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// At least this many names are found: fewer mean that the place has moved.
    let minimum: Int
    let names: @Sendable () throws -> [String]
  }

  /// Names that may have a refused word, each with the reason.
  static let exceptions: [String: String] = [
    "search-list": "the list is called as the keychain's",
    "search": "the command looks for a text in any attribute, and not by attributes",
    "rm": "the command is called as the shell's",
    "passwd": "the command is called as the system's",
    "VaultPolicy.update(_:)": "it changes no item, but a whole value in a closure",
    "update": "the option is that of macOS's security, -U",
    "DiagnosticResult.Check.coreDumps": "the system's word",
    "PolicyExplanation.tried": "a rule is tried; an answer to a challenge is an attempt",
    "tried": "the same",
    "ResponseBody.Element": "the name that AsyncSequence asks for",
    "LoadedBytes.Element": "the name that AsyncSequence asks for",
  ]

  /// Types of the item and of the space, with the words that belong to the other.
  static let foreignWords = [
    "Item": ["host", "user"],
    "ItemQuery": ["host", "user"],
    "ItemChange": ["host", "user"],
    "ProtectionSpace": ["server", "account"],
    "Credential": ["server", "account"],
    "RequestHead": ["account"],
    "Question": ["account"],
    "PINQuestion": ["account"],
    "TokenQuestion": ["account"],
    "NewToken": ["account"],
  ]

  static let swift = Source(testDescription: "Swift", minimum: 900) {
    try [
      "CredentialVault", "VaultAdministration", "HTTPAuthentication", "VaultURLSession",
      "TLSCredentials", "VaultTransport",
    ].flatMap { product in
      try Project.text(of: "Documentation/api/\(product).txt").split(separator: "\n")
        .map { line in String(line[..<(line.firstRange(of: ": ")?.lowerBound ?? line.endIndex)]) }
    }
  }
  static let c = Source(testDescription: "C", minimum: 100) {
    try [
      "vault", "vault_http", "vault_tls", "vault_tls_curl", "vault_tls_openssl",
      "vault_transport", "vault_http_stream", "vault_keychain_vaults",
    ].flatMap { header in
      try Project.text(of: "Sources/CVault/include/\(header).h")
        .matches(of: /\b(?:vault_|VAULT_)[A-Za-z0-9_]+/).map { String($0.0) }
    }
  }
  static let options = Source(testDescription: "options and commands", minimum: 80) {
    // `case name`, or `case name = "option-name"`.
    let cases = try ["Options/OptionName", "Commands/CommandTable"].flatMap { file in
      try Project.text(of: "Sources/VaultCommands/\(file).swift")
        .matches(of: /(?m)^  case ([A-Za-z]+)(?: = "([a-z-]+)")?$/)
        .map { String($0.2 ?? $0.1) }
    }
    return cases + Attribute.all.compactMap(\.option)
  }
  static let json = Source(testDescription: "JSON", minimum: 80) {
    let paths = [
      "Sources/VaultCommands", "Sources/vaultctl-tls", "Extras/Fleet/Sources/vaultctl-fleet",
    ].flatMap { folder in
      let files = FileManager.default.enumerator(atPath: Project.root.appending(path: folder).path)
      return (files?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
    }
    // The names of Docker's documents are Docker's.
    .filter { $0.hasSuffix(".swift") && !$0.hasSuffix("/DockerCredentialCommand.swift") }
    // Each name of a document is an argument of one of these.
    let written = try paths.flatMap { path in
      try Project.text(of: path)
        .matches(of: /(?:field|name|objects|object|array)\("([A-Za-z_]+)"/).map { String($0.1) }
    }
    return written + Attribute.all.map(\.json)
  }
  static let sources = [swift, c, options, json]

  /// Splits a name in camelCase, snake_case or kebab-case into words in lower case.
  static func words(_ name: String) -> [String] {
    name.replacing(/([a-z0-9])([A-Z])/) { "\($0.1) \($0.2)" }
      .replacing(/([A-Z])([A-Z][a-z])/) { "\($0.1) \($0.2)" }
      .lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.map { String($0) }
  }

  /// Returns the first of the refused terms whose words are in a name, one after another, the last
  /// of them in any form.
  static func refused(_ name: String, _ terms: [String]) -> String? {
    let words = words(name)
    return terms.first { term in
      let term = Self.words(term)
      return words.indices.contains { start in
        let found = words[start...].prefix(term.count)
        return found.count == term.count && found.dropLast().elementsEqual(term.dropLast())
          && isForm(found.last ?? "", of: term.last ?? "")
      }
    }
  }

  /// Returns whether a word is a form of a verb or a noun: `tries` of `try`, `dropped` of `drop`.
  static func isForm(_ word: String, of stem: String) -> Bool {
    guard let last = stem.last else { return false }
    let start = String(stem.dropLast())
    let stems = [stem, last == "e" ? start : last == "y" ? start + "i" : stem + String(last)]
    return word == stem
      || ["s", "es", "d", "ed", "ing"].contains { end in
        stems.contains { word == $0 + end }
      }
  }

  /// Returns the terms in backticks of one column of the table.
  static func terms(_ column: Int) throws -> [String] {
    let tables = Markdown(try Project.text(of: "CONTRIBUTING.md")).tables
    let table = try #require(tables.first { $0[0] == ["word", "meaning", "not"] })
    // The line of dashes is not a row.
    return try table.dropFirst().flatMap { row -> [String] in
      try #require(row.count == 3, "\(row)")
      let terms = row[column].matches(of: /`([^`]+)`/).map { String($0.1) }
      try #require(!terms.isEmpty, "\(row)")
      return terms
    }
  }

  @Test("public names have no refused word", arguments: sources)
  func names(_ source: Source) throws {
    let terms = try Self.terms(2)
    #expect(terms.count >= 70)
    let names = try Set(source.names())
    #expect(names.count >= source.minimum)
    for name in names.sorted() where Self.exceptions[name] == nil {
      let term = Self.refused(name, terms)
      #expect(term == nil, "\(name) has “\(term ?? "")”")
      // A missing vault and a missing item share no word.
      let words = Self.words(name)
      if words.contains(["not", "found"]) {
        #expect(words.contains(["vault", "not"]) || words.contains(["item", "not"]), "\(name)")
        #expect(name != "VAULT_NOT_FOUND")
      }
    }
  }

  @Test("no word of the table is refused by it")
  func table() throws {
    let refused = try Self.terms(2)
    for word in try Self.terms(0) {
      #expect(Self.refused(word, refused) == nil, "\(word)")
    }
  }

  @Test("words of items and of spaces are not mixed")
  func items() throws {
    for name in try Self.swift.names() {
      let type = String(name.prefix { $0.isLetter })
      // The domain of NTLM is one term.
      let words = Self.words(name.replacing("ccountDomain", with: ""))
      for word in Self.foreignWords[type] ?? [] {
        #expect(!words.contains(word), "\(name) has “\(word)”")
      }
    }
  }

  @Test("every exception is a name and is needed")
  func exceptions() throws {
    let terms = try Self.terms(2)
    let names = try Set(Self.sources.flatMap { try $0.names() })
    for name in Self.exceptions.keys {
      #expect(names.contains(name) && Self.refused(name, terms) != nil, "\(name)")
    }
  }

  @Test(
    "a refused word is found however it is written",
    arguments: [
      "Vault.deleteItem(_:)", "VAULT_DELETE", "vault_delete", "delete-slot", "toDelete",
      "deletedItems", "deleting",
    ])
  func planted(_ name: String) {
    #expect(Self.refused(name, ["delete"]) == "delete")
    #expect(Self.refused(name, ["undelete"]) == nil)
  }
}
