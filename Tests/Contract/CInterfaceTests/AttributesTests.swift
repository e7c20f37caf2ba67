import CVault
import Foundation
import Testing
import VaultC
import VaultModel

@Suite("attributes of the C interface")
struct AttributesTests {
  @Test("the header has a constant for each attribute of the table, of its name and number")
  func constants() throws {
    let header = try Prototype.header("vault.h")
    let enumeration = try #require(
      header.firstMatch(
        of: /typedef enum vault_attribute \{(.*?)\} vault_attribute_t;/.dotMatchesNewlines()))
    var constants = Dictionary(
      enumeration.1.matches(of: /(?m)^  VAULT_(\w+) = (\d+),/).map {
        (String($0.1), UInt32($0.2) ?? 0)
      },
      uniquingKeysWith: { _, _ in 0 })
    // Only handles have these; items do not.
    for name in [
      "PERSISTENCE", "IS_PENDING", "HAS_PORT_VARIANT", "CLASS", "REMOVED", "RESTORABLE_UNTIL",
    ] {
      #expect(constants.removeValue(forKey: name) != nil)
    }
    let expected = Attribute.all.compactMap { attribute -> (String, UInt32)? in
      guard let number = attribute.constant else { return nil }
      let name = attribute.name.replacing(" attribute", with: "").uppercased()
        .replacing(" ", with: "_")
      return ((attribute.form == .flag ? "IS_" : "") + name, number)
    }
    #expect(constants == Dictionary(uniqueKeysWithValues: expected))
  }

  @Test("the keychain's header has the code of each attribute that it knows")
  func keychainCodes() throws {
    let header = try Prototype.header("vault_keychain.h")
    let end = try #require(header.range(of: "kVaultVolumeItemAttr")).lowerBound
    var codes = Set(
      header[..<end].matches(of: /kVault\w+ItemAttr = 0x([0-9A-F]{8})/).compactMap {
        UInt32($0.1, radix: 16).map { FourCharacterCode(rawValue: $0).description }
      })
    // These are always unset.
    codes.subtract(["scrp", "cusi", "prot"])
    #expect(codes == Set(Attribute.all.compactMap(\.keychainCode)))
  }

  @Test("every text that is named is read back from the item")
  func texts() throws {
    let vault = try CVaultObject.inMemory()
    let texts: [(vault_attribute_t, String)] = [
      (VAULT_ACCOUNT, "ann"), (VAULT_REALM, "Team"), (VAULT_SERVER, "git.example.com"),
      (VAULT_PROTOCOL, "https"), (VAULT_AUTHENTICATION_METHOD, "digest"), (VAULT_PATH, "/r"),
      (VAULT_LABEL, "Git"), (VAULT_COMMENT, "for work"), (VAULT_KIND, "web password"),
      (VAULT_ORIGIN, "app"), (VAULT_ACCOUNT_DOMAIN, "CORP"),
    ]
    let attributes = try CAttributes()
    for (attribute, text) in texts { try attributes.set(attribute, text) }
    let item = try vault.add(attributes)
    for (attribute, text) in texts { #expect(try item.text(attribute) == text) }
  }

  @Test("every number that is named is read back from the item")
  func numbers() throws {
    let vault = try CVaultObject.inMemory()
    let numbers: [(vault_attribute_t, UInt64)] = [
      (VAULT_PORT, 65535), (VAULT_CREATOR, 0xFFFF_FFFF), (VAULT_TYPE, 1),
      (VAULT_IS_INVISIBLE, 1), (VAULT_IS_NEGATIVE, 1), (VAULT_EXPIRES, 9_000_000_000_000),
      (VAULT_SECRET_KIND, 1),
    ]
    let attributes = try CAttributes()
    for (attribute, number) in numbers { try attributes.set(attribute, number) }
    let item = try vault.add(attributes)
    for (attribute, number) in numbers { #expect(try item.number(attribute) == number) }
  }

  @Test("what is not named is unset, the method default, the label the server")
  func unset() throws {
    let item = try CVaultObject.inMemory().add(CAttributes([VAULT_SERVER.rawValue: "EXAMPLE.com."]))
    #expect(try item.text(VAULT_SERVER) == "example.com")
    #expect(try item.text(VAULT_LABEL) == "example.com")
    #expect(try item.text(VAULT_AUTHENTICATION_METHOD) == "default")
    for attribute in [VAULT_ACCOUNT, VAULT_REALM, VAULT_PROTOCOL, VAULT_PATH, VAULT_COMMENT] {
      #expect(try item.text(attribute) == "")
    }
    for attribute in [VAULT_PORT, VAULT_EXPIRES, VAULT_IS_NEGATIVE, VAULT_IS_PENDING] {
      #expect(try item.number(attribute) == 0)
    }
    #expect(try item.custom("none") == "")
    #expect(try item.text(VAULT_ID).utf8.count == 26)
    #expect(try item.number(VAULT_CREATED) > 1_600_000_000_000)
    #expect(try item.number(VAULT_MODIFIED) >= item.number(VAULT_CREATED))
    #expect(try item.number(VAULT_PERSISTENCE) == UInt64(VAULT_PERSISTENCE_SESSION.rawValue))
  }

  @Test("naming an attribute again replaces its value, a custom one by its name")
  func again() throws {
    let attributes = try CAttributes([
      VAULT_ACCOUNT.rawValue: "ann", VAULT_SERVER.rawValue: "example.com",
    ])
    try attributes.set(VAULT_ACCOUNT, "bob")
    try attributes.set(custom: "a", "1")
    try attributes.set(custom: "b", "2")
    try attributes.set(custom: "a", "3")
    let item = try CVaultObject.inMemory().add(attributes)
    #expect(try item.text(VAULT_ACCOUNT) == "bob")
    #expect(try item.custom("a") == "3")
    #expect(try item.custom("b") == "2")
  }

  @Test(
    "a text that is a number, to read only or nothing at all is refused, and the other way round")
  func kinds() throws {
    let item = try CVaultObject.inMemory().add(CAttributes())
    for number in 0...33 as ClosedRange<UInt32> {
      let attributes = try CAttributes()
      let attribute = vault_attribute_t(number)
      let isText = [1...5, 7...12, 26...26].contains { $0.contains(number) }
      let isNumber = [6...6, 13...18, 28...28].contains { $0.contains(number) }
      let isData = number == 27
      let isReadText = isText || number == 19
      let isReadNumber = isNumber || [20...25, 28...30].contains { $0.contains(number) }
      expect(isText) { () throws(Failure) in try attributes.set(attribute, "") }
      expect(isNumber) { () throws(Failure) in try attributes.set(attribute, 0) }
      expect(isData) { () throws(Failure) in try attributes.set(attribute, data: []) }
      expect(isData) { () throws(Failure) in _ = try item.data(attribute) }
      expect(isReadText) { () throws(Failure) in _ = try item.text(attribute) }
      expect(isReadNumber) { () throws(Failure) in _ = try item.number(attribute) }
    }
  }

  /// Expects success or that the argument is called invalid.
  private func expect(_ isAllowed: Bool, _ body: () throws(Failure) -> Void) {
    do throws(Failure) {
      try body()
      #expect(isAllowed)
    } catch {
      #expect(!isAllowed)
      #expect(error == Failure(VAULT_INVALID_ARGUMENT))
    }
  }

  @Test(
    "a number out of its attribute's bounds is refused",
    arguments: [
      (VAULT_PORT, 65536), (VAULT_CREATOR, 1 << 32), (VAULT_TYPE, .max), (VAULT_IS_INVISIBLE, 2),
      (VAULT_IS_NEGATIVE, .max), (VAULT_EXPIRES, 1 << 63), (VAULT_SECRET_KIND, 256),
    ] as [(vault_attribute_t, UInt64)])
  func bounds(_ attribute: vault_attribute_t, _ number: UInt64) throws {
    let attributes = try CAttributes()
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try attributes.set(attribute, number) }
    try attributes.set(attribute, 1)
  }

  @Test(
    "text that is not UTF-8, or holds NUL, is refused",
    arguments: [[0xFF], [0x61, 0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x61, 0], [0]])
  func invalidText(_ bytes: [UInt8]) throws {
    let attributes = try CAttributes()
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) {
      try attributes.set(VAULT_ACCOUNT, bytes: bytes)
    }
    try attributes.set(VAULT_ACCOUNT, bytes: [0xC3, 0xA4])
    #expect(try CVaultObject.inMemory().add(attributes).text(VAULT_ACCOUNT) == "ä")
  }

  @Test(
    "a length above 1 MiB is too large and nothing is read, also one that is negative elsewhere")
  func lengths() throws {
    let attributes = try CAttributes()
    for count in [1 << 20 + 1, .max, -1, .min] {
      // Nothing is read of the one byte.
      #expect(
        unsafe vault_attributes_set_text(attributes.handle, VAULT_LABEL, "x", count)
          == VAULT_TOO_LARGE)
      #expect(
        unsafe vault_attributes_set_secret(attributes.handle, "x", count) == VAULT_TOO_LARGE)
    }
  }

  @Test("a host, a protocol and a method that cannot be are refused, and what was named stays")
  func refused() throws {
    let attributes = try CAttributes([VAULT_SERVER.rawValue: "example.com"])
    for (attribute, text) in [
      (VAULT_SERVER, "a b"), (VAULT_PROTOCOL, "1"), (VAULT_AUTHENTICATION_METHOD, "a b"),
      (VAULT_ID, "x"),
    ] {
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try attributes.set(attribute, text) }
    }
    #expect(try CVaultObject.inMemory().add(attributes).text(VAULT_SERVER) == "example.com")
  }

  @Test("a URL names protocol, server, port and user, and neither its path nor its query")
  func url() throws {
    let attributes = try CAttributes()
    try attributes.set(url: "HTTPS://ann@Example.com:8443/private?token=1#here")
    let item = try CVaultObject.inMemory().add(attributes)
    #expect(try item.text(VAULT_PROTOCOL) == "https")
    #expect(try item.text(VAULT_SERVER) == "example.com")
    #expect(try item.text(VAULT_ACCOUNT) == "ann")
    #expect(try item.number(VAULT_PORT) == 8443)
    #expect(try item.text(VAULT_PATH) == "")
  }

  @Test(
    "an IPv6 address stands in brackets in a URL",
    arguments: [
      ("http://[::1]/", 0), ("http://[::1]:8080/", 8080), ("http://[::1]/mail@example.com", 0),
      ("http://[::1]:8080/mail@example.com", 8080),
    ])
  func addressURL(_ url: String, _ port: UInt64) throws {
    let attributes = try CAttributes()
    try attributes.set(url: url)
    let item = try CVaultObject.inMemory().add(attributes)
    #expect(try item.text(VAULT_SERVER) == "::1")
    #expect(try item.number(VAULT_PORT) == port)
    #expect(try item.text(VAULT_ACCOUNT) == "")
  }

  @Test(
    "a URL with a password is refused, wherever the password stands",
    arguments: [
      "https://ann:secret@example.com", "https://:@example.com/", "https://a@b:c@example.com",
      "//ann:secret@example.com", "ann:secret@example.com", "https://ann:first/rest@example.com",
      "https://", "", "https:", "example.com", "https://[::1]:first/rest@example.com",
      "https://[ann:first/rest@example.com",
    ])
  func invalidURL(_ url: String) throws {
    let attributes = try CAttributes()
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try attributes.set(url: url) }
    #expect(try CVaultObject.inMemory().add(attributes).text(VAULT_SERVER) == "")
  }

  @Test("an identity is for queries, and no item is added or changed with one")
  func identity() throws {
    let vault = try CVaultObject.inMemory()
    let item = try vault.add(CAttributes([VAULT_ACCOUNT.rawValue: "ann"]))
    let query = try CAttributes([VAULT_ID.rawValue: item.text(VAULT_ID)])
    #expect(try vault.find(query).text(VAULT_ACCOUNT) == "ann")
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.add(query) }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.upsert(query) }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try item.modify(query) }
  }
}
