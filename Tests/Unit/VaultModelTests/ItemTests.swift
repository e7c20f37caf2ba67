import SecureMemory
import Testing

@testable import VaultModel

@Suite("Item")
struct ItemTests {
  @Test("an item stays small")
  func size() {
    #expect(MemoryLayout<Item>.stride <= 192)
    #expect(MemoryLayout<Item.Key>.size <= 115)
  }

  @Test("a new item has the given parts, the method default and nothing else")
  func defaults() throws {
    let before = Timestamp.now()
    let item = Item()
    #expect(item.key == Item.Key())
    #expect(item.authenticationMethod == .default)
    #expect(item.server == .unset && item.protocol == .unset && item.port == 0)
    #expect(item.account.isEmpty && item.realm.isEmpty && item.path.isEmpty)
    #expect(item.label.isEmpty && item.comment.isEmpty && item.kind.isEmpty)
    #expect(item.origin.isEmpty && item.accountDomain.isEmpty && item.custom.isEmpty)
    #expect(item.creator == 0 && item.type == 0 && !item.isInvisible && !item.isNegative)
    #expect(item.expires == nil && item.secretKind == .password && item.revision == 0)
    #expect(item.persistence == .permanent && item.secret == nil && item.refreshToken == nil)
    #expect(item.created >= before && item.modified == item.created)
    #expect(item.id != Item().id)
  }

  @Test("custom attributes whose names begin with key: are parts of the key")
  func variants() {
    var (item, other) = (Item(service: "s"), Item(service: "s"))
    item.custom["group"] = "g"
    #expect(item.key == other.key && !item.isVariant)
    item.custom["key:group"] = "g"
    #expect(item.key != other.key && other.key < item.key && item.isVariant)
    #expect(ItemQuery(key: other.key).rank(of: item) == nil)
    #expect(ItemQuery(service: "s").rank(of: item) != nil)
    other.custom["key:group"] = "h"
    #expect(item.key != other.key)
    let isChanged = other.apply([.custom("key:group", "g")])
    #expect(isChanged)
    #expect(item.key == other.key && item.key.hashValue == other.key.hashValue)
    #expect(ItemQuery(key: other.key).rank(of: item) != nil)
    item.service = "t"
    other.service = "t"
    #expect(item.key == other.key && item.isVariant)
    other.custom = [:]
    #expect(!other.isVariant)
  }

  @Test("the initializer's parts are the key's parts")
  func parts() throws {
    let item = try Item(
      server: HostName("S.example"), account: "a", secret: Secret("x"), protocol: .imaps, port: 7,
      realm: "r", path: "p", authenticationMethod: .ntlm)
    let key = try Item.Key(
      account: "a", realm: "r", server: HostName("s.example"), protocol: .imaps,
      authenticationMethod: .ntlm, port: 7, path: "p")
    #expect(item.key == key)
    #expect(item.account == "a" && item.realm == "r" && item.server.name == "s.example")
    #expect(item.protocol == .imaps && item.authenticationMethod == .ntlm)
    #expect(item.port == 7 && item.path == "p" && item.secret?.count == 1)
  }

  @Test("an item for a space has the space's parts and its effective port")
  func space() throws {
    let space = try ProtectionSpace(
      host: "example.com", realm: "Team", authenticationMethod: .digest)
    let item = Item(space: space, account: "alice", secret: nil)
    #expect(
      try item.key
        == Item.Key(
          account: "alice", realm: "Team", server: HostName("example.com"), protocol: .https,
          authenticationMethod: .digest, port: 443))
  }

  @Test("extended attributes are kept, and copies do not share changes")
  func copyOnWrite() {
    var item = Item()
    item.comment = "comment"
    item.kind = "kind"
    item.origin = "git"
    item.accountDomain = "CORP"
    item.creator = 1
    item.type = 2
    item.custom = ["a": "b"]
    item.refreshToken = Secret("token")
    var copy = item
    copy.comment = "other"
    copy.custom["a"] = nil
    copy.refreshToken = nil
    #expect(item.comment == "comment" && item.kind == "kind" && item.origin == "git")
    #expect(item.accountDomain == "CORP" && item.creator == 1 && item.type == 2)
    #expect(item.custom == ["a": "b"] && item.refreshToken?.count == 5)
    #expect(copy.comment == "other" && copy.custom.isEmpty && copy.refreshToken == nil)
    #expect(copy.kind == "kind" && copy.creator == 1)
  }

  @Test("an item whose extended attributes are all unset allocates nothing for them")
  func nothing() {
    var item = Item()
    item.refreshToken = nil
    item.comment = ""
    #expect(item.extended.isEmpty)
    item.creator = 1
    #expect(!item.extended.isEmpty)
    item.creator = 0
    #expect(item.extended.isEmpty)
    #expect(item.withoutSecrets.extended.isEmpty)
  }

  @Test("the default label is the server, else the account, and never replaces one")
  func label() throws {
    var item = try Item(server: HostName("example.com"), account: "alice")
    item.applyDefaultLabel()
    #expect(item.label == "example.com")
    item.server = .unset
    item.applyDefaultLabel()
    #expect(item.label == "example.com")
    item.label = ""
    item.applyDefaultLabel()
    #expect(item.label == "alice")
  }

  struct Limit: Sendable, CustomTestStringConvertible {
    let attribute: String
    let longest: Int
    let set: @Sendable (inout Item, String) -> Void
    var testDescription: String { attribute }
  }

  static let limits = [
    Limit(attribute: "account", longest: 4096) { $0.account = $1 },
    Limit(attribute: "realm", longest: 4096) { $0.realm = $1 },
    Limit(attribute: "path", longest: 4096) { $0.path = $1 },
    Limit(attribute: "label", longest: 4096) { $0.label = $1 },
    Limit(attribute: "comment", longest: 65536) { $0.comment = $1 },
    Limit(attribute: "kind", longest: 4096) { $0.kind = $1 },
    Limit(attribute: "origin", longest: 4096) { $0.origin = $1 },
    Limit(attribute: "account domain", longest: 4096) { $0.accountDomain = $1 },
    Limit(attribute: "custom attribute", longest: 4096) { $0.custom["x"] = $1 },
    Limit(attribute: "custom attribute's name", longest: 4096) { $0.custom[$1] = "x" },
  ]

  @Test("each text has its limit and no NUL, and the error names the attribute", arguments: limits)
  func limit(limit: Limit) throws {
    var item = Item()
    limit.set(&item, String(repeating: "x", count: limit.longest))
    #expect(throws: Never.self) { try item.validate() }

    var long = Item()
    // Bytes are counted, not characters.
    limit.set(&long, String(repeating: "x", count: limit.longest - 1) + "ü")
    let tooLarge = try #require(throws: VaultError.self) { try long.validate() }
    #expect(tooLarge.code == .tooLarge && tooLarge.context.hasPrefix(limit.attribute + ":"))

    var nul = Item()
    limit.set(&nul, "a\0b")
    let invalid = try #require(throws: VaultError.self) { try nul.validate() }
    #expect(invalid.code == .invalidArgument && invalid.context.hasPrefix(limit.attribute + ":"))
  }

  @Test("custom attributes are at most 64 and have names")
  func custom() {
    var item = Item()
    for number in 0..<64 { item.custom["\(number)"] = "" }
    #expect(throws: Never.self) { try item.validate() }
    item.custom["64"] = ""
    #expect(throws: VaultError(.tooLarge, "")) { try item.validate() }
    item.custom = ["": "x"]
    #expect(throws: VaultError(.invalidArgument, "")) { try item.validate() }
  }

  @Test("secrets are at most 1 MiB, and refresh tokens 8 KiB")
  func secrets() {
    let longest = Secret(String(repeating: "x", count: 1 << 20))
    let longer = Secret(String(repeating: "x", count: 1 << 20 + 1))
    var item = Item(secret: longest)
    item.refreshToken = Secret(String(repeating: "x", count: 8192))
    #expect(throws: Never.self) { try item.validate() }
    item.refreshToken = Secret(String(repeating: "x", count: 8193))
    #expect(throws: VaultError(.tooLarge, "")) { try item.validate() }
    item.refreshToken = nil
    item.secret = longer
    #expect(throws: VaultError(.tooLarge, "")) { try item.validate() }
  }

  @Test(
    "a protocol or method that is not canonical is an invalid argument",
    arguments: ["HTTPS", "htps", "a b", "\0", "é", String(repeating: "a", count: 65)])
  func names(name: String) {
    #expect(throws: VaultError(.invalidArgument, "")) {
      try Item(protocol: NetworkProtocol(rawValue: name)).validate()
    }
    guard name != "htps" else { return }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try Item(authenticationMethod: AuthenticationMethod(rawValue: name)).validate()
    }
  }

  @Test("neither a description nor a dump shows a secret")
  func dumps() {
    var item = Item(account: "alice", secret: Secret("Tr0ub4dor"))
    item.refreshToken = Secret("Tr0ub4dor")
    let credential = Credential(
      user: "alice", secret: Secret("Tr0ub4dor"), persistence: .session)
    #expect(credential.accountDomain.isEmpty)
    #expect(!"\(item) \(credential)".contains("Tr0ub4dor"))
    #expect(!String(reflecting: item).contains("Tr0ub4dor"))
    #expect(!String(reflecting: credential).contains("Tr0ub4dor"))
  }
}
