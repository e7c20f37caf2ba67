import CVault
import Testing
import VaultC

@Suite("finding through the C interface")
struct FindingTests {
  /// Creates a vault with Ann at two servers and Bob at one, and an item without path, port or
  /// realm.
  private static func vault() throws -> CVaultObject {
    let vault = try CVaultObject.inMemory()
    for (account, server, path) in [
      ("ann", "example.com", "/a"), ("ann", "git.example.com", ""), ("bob", "example.com", ""),
    ] {
      _ = try vault.add(
        CAttributes(
          [
            VAULT_ACCOUNT.rawValue: account, VAULT_SERVER.rawValue: server,
            VAULT_PROTOCOL.rawValue: "https", VAULT_PATH.rawValue: path,
          ], secret: "\(account)@\(server)"))
    }
    return vault
  }

  @Test(
    "an attribute that is not named matches any value, and one named as empty only what is unset")
  func unset() throws {
    let vault = try Self.vault()
    #expect(try vault.count(nil) == 3)
    #expect(try vault.count(CAttributes()) == 3)
    #expect(try vault.count(CAttributes([VAULT_PATH.rawValue: ""])) == 2)
    #expect(try vault.count(CAttributes([VAULT_PATH.rawValue: "/a"])) == 1)
    #expect(try vault.count(CAttributes([:], port: 0)) == 3)
    #expect(try vault.count(CAttributes([VAULT_ACCOUNT.rawValue: ""])) == 0)
    #expect(try vault.count(CAttributes([VAULT_COMMENT.rawValue: ""])) == 3)
  }

  @Test("every attribute of a query is looked at, and none of the secrets")
  func everyAttribute() throws {
    let vault = try CVaultObject.inMemory()
    let texts = [
      VAULT_ACCOUNT, VAULT_REALM, VAULT_SERVER, VAULT_PROTOCOL, VAULT_AUTHENTICATION_METHOD,
      VAULT_PATH, VAULT_LABEL, VAULT_COMMENT, VAULT_KIND, VAULT_ORIGIN, VAULT_ACCOUNT_DOMAIN,
    ]
    let numbers = [
      VAULT_PORT, VAULT_CREATOR, VAULT_TYPE, VAULT_IS_INVISIBLE, VAULT_IS_NEGATIVE,
      VAULT_SECRET_KIND,
    ]
    let one = try CAttributes([:], secret: "x")
    for text in texts { try one.set(text, "one") }
    for number in numbers { try one.set(number, 1) }
    try one.set(custom: "c", "one")
    _ = try vault.add(one)
    for text in texts {
      #expect(try vault.count(CAttributes([text.rawValue: "one"])) == 1)
      #expect(try vault.count(CAttributes([text.rawValue: "two"])) == 0)
    }
    for number in numbers {
      for (value, count) in [(1, 1), (0, 0)] as [(UInt64, Int)] {
        let query = try CAttributes()
        try query.set(number, value)
        #expect(try vault.count(query) == count)
      }
    }
    for (value, count) in [("one", 1), ("two", 0), ("", 0)] {
      let query = try CAttributes([:], secret: "another")
      try query.set(custom: "c", value)
      try query.set(refreshToken: "another")
      #expect(try vault.count(query) == count)
    }
  }

  @Test("a query asks for items that never expire, but for no other time")
  func expiry() throws {
    let vault = try CVaultObject.inMemory()
    for (account, expires) in [("ann", 0), ("bob", 9_000_000_000_000)] as [(String, UInt64)] {
      let attributes = try CAttributes([VAULT_ACCOUNT.rawValue: account])
      try attributes.set(VAULT_EXPIRES, expires)
      _ = try vault.add(attributes)
    }
    let query = try CAttributes()
    try query.set(VAULT_EXPIRES, 0)
    #expect(try vault.findAll(query) == ["ann"])
    try query.set(VAULT_EXPIRES, 9_000_000_000_000)
    #expect(throws: Failure(VAULT_UNSUPPORTED)) { try vault.find(query) }
  }

  @Test("the best match is found, and of equals the first in the order of the key")
  func best() throws {
    let vault = try Self.vault()
    let query = try CAttributes([VAULT_ACCOUNT.rawValue: "ann"])
    #expect(try vault.find(query).text(VAULT_SERVER) == "example.com")
    #expect(throws: Failure(VAULT_AMBIGUOUS)) { try vault.findUnique(query) }
    try query.set(VAULT_PATH, "")
    #expect(try vault.find(query).text(VAULT_SERVER) == "git.example.com")
    #expect(try vault.findUnique(query).text(VAULT_SERVER) == "git.example.com")
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) {
      try vault.find(CAttributes([VAULT_ACCOUNT.rawValue: "eve"]))
    }
  }

  @Test("where it is named what is requested, items of another path do not match")
  func requested() throws {
    let vault = try Self.vault()
    let query = try CAttributes([
      VAULT_SERVER.rawValue: "example.com", VAULT_PROTOCOL.rawValue: "https",
    ])
    for options in [VAULT_NO_OPTIONS, VAULT_OF_SPACE] {
      for (path, accounts) in [
        ("/a/b?c", ["ann", "bob"]), ("/a", ["ann", "bob"]), ("/ab", ["bob"]), ("/", ["bob"]),
        ("", ["bob"]), ("/a/..%2Fb", ["bob"]),
      ] {
        try query.set(requestPath: path)
        #expect(try vault.findAll(query, options) == accounts, "\(path)")
        #expect(try vault.find(query, options).text(VAULT_ACCOUNT) == accounts[0])
        #expect(try vault.defaultCredential(query).text(VAULT_ACCOUNT) == accounts[0])
      }
    }
    try vault.setDefaultUser("ann", query)
    #expect(try vault.defaultCredential(query).text(VAULT_ACCOUNT) == "bob")
    // It is not an attribute of an item, and none that a query for many could use.
    let new = try CAttributes([VAULT_ACCOUNT.rawValue: "eve"])
    try new.set(requestPath: "/a")
    #expect(try vault.add(new).text(VAULT_PATH) == "")
    let path = try CAttributes()
    try path.set(requestPath: "/b")
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.removeAll(path) }
    try query.set(requestPath: "/b")
    #expect(try vault.removeAll(query) == 1 && vault.count(nil) == 3)
  }

  @Test("all matches come best first, as many as are wanted, and none is no failure")
  func all() throws {
    let vault = try Self.vault()
    #expect(try vault.findAll(nil) == ["ann", "ann", "bob"])
    #expect(try vault.findAll(nil, limit: 2) == ["ann", "ann"])
    #expect(try vault.findAll(nil, limit: .max) == ["ann", "ann", "bob"])
    #expect(try vault.findAll(nil, limit: -1) == ["ann", "ann", "bob"])
    #expect(try vault.findAll(CAttributes([VAULT_ACCOUNT.rawValue: "eve"])) == [])
  }

  @Test("subdomains match where they are asked for")
  func subdomains() throws {
    let vault = try Self.vault()
    let query = try CAttributes([VAULT_SERVER.rawValue: "example.com"])
    #expect(try vault.count(query) == 2)
    #expect(try vault.count(query, VAULT_WITH_SUBDOMAINS) == 3)
  }

  @Test("a space's unset port is the default one, its realm unset, and its method any password's")
  func space() throws {
    let vault = try Self.vault()
    let space = try CAttributes([
      VAULT_SERVER.rawValue: "example.com", VAULT_PROTOCOL.rawValue: "https",
      VAULT_AUTHENTICATION_METHOD.rawValue: "basic",
    ])
    #expect(try vault.count(space) == 0)
    #expect(try vault.count(space, VAULT_OF_SPACE) == 2)
    try space.set(VAULT_PORT, 443)
    #expect(try vault.count(space, VAULT_OF_SPACE) == 2)
    try space.set(VAULT_PORT, 8443)
    #expect(try vault.count(space, VAULT_OF_SPACE) == 0)
    try space.set(VAULT_PORT, 0)
    try space.set(VAULT_ACCOUNT, "bob")
    #expect(try vault.findAll(space, VAULT_OF_SPACE) == ["bob"])
    try space.set(VAULT_REALM, "Team")
    #expect(try vault.count(space, VAULT_OF_SPACE) == 0)
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.find(nil, VAULT_OF_SPACE) }
    for attribute in [VAULT_SERVER, VAULT_PROTOCOL] {
      let partial = try CAttributes([attribute.rawValue: "https"])
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.find(partial, VAULT_OF_SPACE) }
    }
  }

  @Test("expired items are passed over, and found where they are asked for, without their secret")
  func expired() throws {
    let vault = try CVaultObject.inMemory()
    let attributes = try CAttributes([VAULT_ACCOUNT.rawValue: "ann"], secret: "old")
    try attributes.set(VAULT_EXPIRES, 1)
    let item = try vault.add(attributes)
    #expect(throws: Failure(VAULT_EXPIRED)) { try vault.find(nil) }
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try vault.find(nil, VAULT_WITHOUT_EXPIRED) }
    #expect(try vault.findAll(nil) == ["ann"])
    #expect(try vault.count(nil, VAULT_WITHOUT_EXPIRED) == 0)
    #expect(throws: Failure(VAULT_EXPIRED)) { try item.secret() }
    #expect(throws: Failure(VAULT_EXPIRED)) { try item.refreshToken() }
  }

  @Test("an option that a function does not have is refused, and nothing is done")
  func options() throws {
    let vault = try Self.vault()
    let attributes = try CAttributes([VAULT_ACCOUNT.rawValue: "eve"])
    for option in [VAULT_ACCEPTED, 32, 1 << 31] {
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.find(nil, option) }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.findUnique(nil, option) }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.findAll(nil, option) }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.count(nil, option) }
    }
    for option in [VAULT_WITH_SECRETS, 32, 1 << 31] {
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) {
        try vault.add(attributes, VAULT_PERSISTENCE_SESSION, option)
      }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) {
        try vault.find(nil).modify(attributes, ifRevision: 0, option)
      }
    }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) {
      try vault.add(attributes, vault_persistence_t(3))
    }
    #expect(try vault.count(nil) == 3)
  }
}
