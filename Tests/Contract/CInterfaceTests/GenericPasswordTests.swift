import CVault
import TestSupport
import Testing
import VaultC

@Suite("generic passwords through the C interface")
struct GenericPasswordTests {
  private let vault: CVaultObject

  /// Makes a vault with one internet password and two generic ones, all with the account `ann`, and
  /// the server of one is the service of another.
  init() throws {
    vault = try CVaultObject.inMemory()
    _ = try vault.add(
      CAttributes(
        [VAULT_ACCOUNT.rawValue: "ann", VAULT_SERVER.rawValue: "example.com"], secret: "web"))
    for service in ["example.com", "Back Up"] {
      _ = try vault.add(
        CAttributes(
          [VAULT_ACCOUNT.rawValue: "ann", VAULT_SERVICE.rawValue: service], secret: service))
    }
  }

  private func of(_ itemClass: vault_class_t) throws -> CAttributes {
    let attributes = try CAttributes()
    try attributes.set(VAULT_CLASS, UInt64(itemClass.rawValue))
    return attributes
  }

  @Test("what is stored under a service is read back, and has nothing of an internet password")
  func reading() throws {
    let item = try vault.find(CAttributes([VAULT_SERVICE.rawValue: "Back Up"]))
    #expect(try item.text(VAULT_SERVICE) == "Back Up")
    #expect(try item.text(VAULT_ACCOUNT) == "ann")
    #expect(try item.text(VAULT_LABEL) == "Back Up")
    #expect(try item.secret() == "Back Up")
    #expect(try item.number(VAULT_CLASS) == UInt64(VAULT_CLASS_GENERIC_PASSWORD.rawValue))
    for attribute in [VAULT_SERVER, VAULT_REALM, VAULT_PROTOCOL, VAULT_AUTHENTICATION_METHOD] {
      #expect(try item.text(attribute) == "")
    }
    #expect(try item.number(VAULT_PORT) == 0)
    let internet = try vault.find(nil)
    #expect(try internet.text(VAULT_SERVICE) == "")
    #expect(try internet.data(VAULT_GENERIC) == [])
    #expect(try internet.number(VAULT_CLASS) == UInt64(VAULT_CLASS_INTERNET_PASSWORD.rawValue))
  }

  @Test("a question for one class has no answer of the other, whatever it names")
  func separation() throws {
    #expect(try vault.count(nil) == 1)
    #expect(try vault.count(CAttributes([VAULT_ACCOUNT.rawValue: "ann"])) == 1)
    #expect(try vault.count(of(VAULT_CLASS_INTERNET_PASSWORD)) == 1)
    #expect(try vault.count(of(VAULT_CLASS_GENERIC_PASSWORD)) == 2)
    #expect(try vault.count(CAttributes([VAULT_SERVICE.rawValue: ""])) == 0)
    #expect(try vault.find(CAttributes([VAULT_SERVER.rawValue: "example.com"])).secret() == "web")
    let generic = try vault.find(CAttributes([VAULT_SERVICE.rawValue: "example.com"]))
    #expect(try generic.secret() == "example.com")
    let byID = try CAttributes([VAULT_ID.rawValue: generic.text(VAULT_ID)])
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try vault.find(byID) }
    try byID.set(VAULT_CLASS, 1)
    #expect(try vault.find(byID).secret() == "example.com")
  }

  @Test("a service that a class names alone is none, and without a service it can be stored")
  func unset() throws {
    let new = try of(VAULT_CLASS_GENERIC_PASSWORD)
    try new.set(VAULT_ACCOUNT, "bob")
    _ = try vault.add(new)
    #expect(try vault.findAll(CAttributes([VAULT_SERVICE.rawValue: ""])) == ["bob"])
  }

  @Test("attributes of two classes are refused in either order, and what was named stays")
  func mixed() throws {
    for attribute in [VAULT_SERVER, VAULT_REALM, VAULT_PATH, VAULT_PROTOCOL, VAULT_ACCOUNT_DOMAIN] {
      let generic = try CAttributes([VAULT_SERVICE.rawValue: "Back Up"])
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try generic.set(attribute, "x") }
      #expect(try vault.count(generic) == 1)
      let internet = try CAttributes([attribute.rawValue: ""])
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try internet.set(VAULT_SERVICE, "") }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) {
        try internet.set(VAULT_GENERIC, data: [1])
      }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try internet.set(VAULT_CLASS, 1) }
      try internet.set(VAULT_CLASS, 0)
    }
    let generic = try of(VAULT_CLASS_GENERIC_PASSWORD)
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try generic.set(VAULT_PORT, 1) }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try generic.set(VAULT_CLASS, 0) }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try generic.set(VAULT_CLASS, 2) }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try generic.set(url: "https://a.example") }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try generic.set(requestPath: "/") }
    #expect(try vault.count(generic) == 2)
    // A value that is refused names no class.
    let open = try CAttributes()
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try open.set(VAULT_SERVER, "a b") }
    try open.set(VAULT_SERVICE, "Back Up")
    #expect(try vault.count(open) == 1)
  }

  @Test("options for servers are refused")
  func options() throws {
    let generic = try CAttributes([VAULT_SERVICE.rawValue: "example.com"])
    for option in [VAULT_WITH_SUBDOMAINS, VAULT_OF_SPACE] {
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.find(generic, option) }
    }
  }

  @Test("data of any bytes comes back, is asked for, and is bounded")
  func data() throws {
    let bytes = [UInt8](0...255)
    let new = try CAttributes([VAULT_SERVICE.rawValue: "data"])
    try new.set(VAULT_GENERIC, data: bytes)
    #expect(try vault.add(new).data(VAULT_GENERIC) == bytes)
    let query = try CAttributes()
    try query.set(VAULT_GENERIC, data: bytes)
    #expect(try vault.find(query).text(VAULT_SERVICE) == "data")
    try query.set(VAULT_GENERIC, data: [])
    #expect(try vault.count(query) == 2)
    try new.set(VAULT_GENERIC, data: [UInt8](repeating: 0, count: 4097))
    #expect(throws: Failure(VAULT_TOO_LARGE)) { try vault.upsert(new) }
  }

  @Test("an item is changed within its class, and its key is the service and the account")
  func changing() throws {
    let item = try vault.find(CAttributes([VAULT_SERVICE.rawValue: "Back Up"]))
    try item.modify(CAttributes([VAULT_COMMENT.rawValue: "nightly"], secret: "new"))
    try item.modify(CAttributes([VAULT_SERVICE.rawValue: "Backup"]))
    #expect(try item.text(VAULT_SERVICE) == "Backup")
    #expect(try item.secret() == "new")
    #expect(throws: Failure(VAULT_DUPLICATE_ITEM)) {
      try item.modify(CAttributes([VAULT_SERVICE.rawValue: "example.com"]))
    }
    for changes in try [
      CAttributes([VAULT_PATH.rawValue: ""]), of(VAULT_CLASS_INTERNET_PASSWORD),
    ] {
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try item.modify(changes) }
    }
    let internet = try vault.find(nil)
    for changes in try [
      CAttributes([VAULT_SERVICE.rawValue: ""]), of(VAULT_CLASS_GENERIC_PASSWORD),
    ] {
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try internet.modify(changes) }
    }
  }

  @Test("the secret of one that was renamed meanwhile is found")
  func renamed() throws {
    let query = try CAttributes([VAULT_SERVICE.rawValue: "Back Up"])
    let item = try vault.find(query)
    try vault.find(query).modify(CAttributes([VAULT_SERVICE.rawValue: "Elsewhere"]))
    #expect(try item.secret() == "Back Up")
  }

  @Test("the class alone names nothing to remove, a service does")
  func removing() throws {
    let all = try of(VAULT_CLASS_GENERIC_PASSWORD)
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.removeAll(all) }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.removeUnique(all) }
    try all.set(VAULT_ACCOUNT, "ann")
    #expect(try vault.removeAll(all) == 2)
    #expect(try vault.count(nil) == 1)
  }
}
