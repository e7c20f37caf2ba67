import CVault
import CredentialVault
import SecureMemory
import Testing
import VaultC
import VaultModel

@Suite("Keychain: changing")
struct ChangingTests {
  let fixture: Fixture
  let item: Reference

  init() throws {
    fixture = try Fixture()
    item = try Words.full.added(to: fixture.reference)
  }

  private func stored() throws -> Item { try #require(try fixture.items().first) }

  @Test("each attribute is changed, and what is not named is kept")
  func each() throws {
    let changes: [(Attributes, KeyPath<Item, String>, String)] = [
      (Attributes(kVaultAccountItemAttr, "berta"), \.account, "berta"),
      (Attributes(kVaultSecurityDomainItemAttr, "guests"), \.realm, "guests"),
      (Attributes(kVaultServerItemAttr, "POP.example.com"), \.server.name, "pop.example.com"),
      (Attributes(kVaultPathItemAttr, "/new"), \.path, "/new"),
      (Attributes(kVaultLabelItemAttr, "Mail"), \.label, "Mail"),
      (Attributes(7, "Post"), \.label, "Post"),
      (Attributes(kVaultCommentItemAttr, "a remark"), \.comment, "a remark"),
      (Attributes(kVaultDescriptionItemAttr, "a kind"), \.kind, "a kind"),
      (
        Attributes(kVaultProtocolItemAttr, number: UInt32(kVaultProtocolTypePOP3)),
        \.protocol.rawValue, "pop3"
      ),
      (
        Attributes(
          kVaultAuthenticationTypeItemAttr, number: UInt32(kVaultAuthenticationTypeHTTPDigest)),
        \.authenticationMethod.rawValue, "digest"
      ),
      (Attributes(kVaultPortItemAttr, number: 110), \.port.description, "110"),
      (Attributes(kVaultCreatorItemAttr, number: 0x6162_6364), \.creator.description, "1633837924"),
      (Attributes(kVaultTypeItemAttr, number: 5), \.type.description, "5"),
      (Attributes(kVaultInvisibleItemAttr, number: 1), \.isInvisible.description, "true"),
      (Attributes(kVaultNegativeItemAttr, number: 1), \.isNegative.description, "true"),
    ]
    for (attributes, path, value) in changes {
      #expect(attributes.modify(item) == errVaultSuccess)
      #expect(try stored()[keyPath: path] == value)
    }
    #expect(try stored().secret?.isEqual(to: Secret("secret")) == true)
    #expect(
      try stored().account == "berta" && stored().path == "/new", "none was undone by a later one")
    item.release()
  }

  @Test("no data keeps the secret whatever its length, and data of the length 0 empties it")
  func data() throws {
    let list = Attributes(kVaultCommentItemAttr, "x")
    #expect(
      unsafe list.withList { unsafe VaultItemModifyContent(item.pointer, $0, 9, nil) }
        == errVaultSuccess)
    #expect(secret(of: item).secret == "secret".array)
    #expect(unsafe VaultItemModifyContent(item.pointer, nil, 3, "new") == errVaultSuccess)
    #expect(secret(of: item).secret == "new".array)
    #expect(unsafe VaultItemModifyContent(item.pointer, nil, 0, "") == errVaultSuccess)
    #expect(secret(of: item).secret == [])
    #expect(try stored().comment == "x")
    item.release()
  }

  @Test("what is replaced or deleted is gone with what was before it, unless the vault keeps it")
  func gone() throws {
    func replace(_ secret: StaticString) {
      // The data is the literal's.
      let status = unsafe VaultItemModifyContent(
        item.pointer, nil, UInt32(secret.utf8CodeUnitCount), secret.utf8Start)
      #expect(status == errVaultSuccess)
    }
    try fixture.vault.modify(stored(), [.secret(Secret("of a person"))])
    #expect(try fixture.vault.history.entries(of: stored()).count == 1)
    replace("new")
    #expect(try stored().secret?.isEqual(to: Secret("new")) == true)
    #expect(try fixture.vault.history.entries(of: stored()).isEmpty)
    try fixture.vault.trash.setKeepsForPrograms(true)
    replace("newer")
    #expect(try fixture.vault.history.entries(of: stored()).count == 1)
    try fixture.vault.trash.setKeepsForPrograms(false)
    #expect(unsafe VaultItemDelete(item.pointer) == errVaultSuccess)
    #expect(try fixture.vault.trash.items(.everything).isEmpty)
    item.release()
  }

  @Test("a change to what is there already writes nothing")
  func nothing() throws {
    let before = try stored()
    let same = Attributes(
      (kVaultAccountItemAttr, "ann".array), (kVaultPortItemAttr, UInt32(993).bytes))
    #expect(same.modify(item, secret: "secret".array) == errVaultSuccess)
    #expect(unsafe VaultItemModifyContent(item.pointer, nil, 0, nil) == errVaultSuccess)
    #expect(unsafe VaultItemModifyAttributesAndData(item.pointer, nil, 0, nil) == errVaultSuccess)
    #expect(try stored().revision == before.revision && stored().modified == before.modified)
    item.release()
  }

  @Test("of two attributes with one tag the last counts")
  func twice() throws {
    let list = Attributes((kVaultLabelItemAttr, "a".array), (7, "b".array))
    #expect(list.modify(item) == errVaultSuccess)
    #expect(try stored().label == "b")
    item.release()
  }

  @Test("a number has 1, 2 or 4 bytes; only the second function unsets one, and none of the key")
  func numbers() throws {
    func modify(_ tag: Int, _ value: [UInt8], unsetting: Bool = false) -> Int {
      Attributes((tag, value)).modify(item, unsetting: unsetting)
    }
    #expect(modify(kVaultPortItemAttr, [25]) == errVaultSuccess)
    #expect(try stored().port == 25)
    #expect(modify(kVaultPortItemAttr, UInt16(4711).bytes) == errVaultSuccess)
    #expect(try stored().port == 4711)
    #expect(modify(kVaultCreatorItemAttr, UInt32(9).bytes) == errVaultSuccess)
    for unsetting in [false, true] {
      #expect(
        modify(kVaultCreatorItemAttr, [1, 2, 3], unsetting: unsetting) == errVaultInvalidValue)
      #expect(
        modify(kVaultPortItemAttr, UInt32(65536).bytes, unsetting: unsetting)
          == errVaultInvalidValue)
      #expect(
        modify(kVaultAuthenticationTypeItemAttr, [1], unsetting: unsetting) == errVaultInvalidValue)
    }
    #expect(modify(kVaultCreatorItemAttr, []) == errVaultInvalidValue)
    #expect(modify(kVaultPortItemAttr, []) == errVaultInvalidValue)
    #expect(modify(kVaultPortItemAttr, [], unsetting: true) == errVaultMissingValue)
    #expect(modify(kVaultProtocolItemAttr, [], unsetting: true) == errVaultMissingValue)
    #expect(try stored().port == 4711 && stored().creator == 9)
    #expect(modify(kVaultCreatorItemAttr, [], unsetting: true) == errVaultSuccess)
    #expect(try stored().creator == 0)
    #expect(modify(kVaultAuthenticationTypeItemAttr, []) == errVaultSuccess)
    #expect(try stored().authenticationMethod == .unset)
    #expect(modify(kVaultPathItemAttr, []) == errVaultSuccess)
    #expect(try stored().path == "")
    item.release()
  }

  @Test("one wrong attribute refuses the whole list, and nothing of it stays")
  func allOrNothing() throws {
    let wrong: [(Int, [UInt8], Int)] = [
      (kVaultServiceItemAttr, [1], errVaultNoSuchAttr),
      (0, [1], errVaultNoSuchAttr),
      (kVaultCreationDateItemAttr, "20260101000000Z\0".array, errVaultReadOnlyAttr),
      (kVaultModDateItemAttr, "20260101000000Z\0".array, errVaultReadOnlyAttr),
      (kVaultScriptCodeItemAttr, UInt32(1).bytes, errVaultUnimplemented),
      (kVaultCustomIconItemAttr, UInt32(1).bytes, errVaultUnimplemented),
      (kVaultProtectedDataItemAttr, [0], errVaultUnimplemented),
      (kVaultAlias, [0], errVaultUnimplemented),
      (8, [0], errVaultUnimplemented),
      (kVaultServerItemAttr, "no host".array, errVaultParam),
      (kVaultCommentItemAttr, [0xFF], errVaultParam),
      (kVaultCommentItemAttr, [UInt8](repeating: 1, count: 65 << 10), errVaultDataTooLarge),
    ]
    let before = try stored()
    for (tag, value, status) in wrong {
      let list = Attributes((kVaultLabelItemAttr, "changed".array), (tag, value))
      #expect(list.modify(item, secret: "new".array) == status)
    }
    #expect(try stored().revision == before.revision)
    // Nothing is pending on the reference either.
    #expect(Attributes(kVaultCommentItemAttr, "x").modify(item) == errVaultSuccess)
    #expect(try stored().label == before.label)
    #expect(secret(of: item).secret == "secret".array)
    item.release()
  }

  @Test("what vaults do not keep may be set to nothing")
  func unkept() throws {
    let before = try stored()
    let list = Attributes(
      (kVaultScriptCodeItemAttr, UInt32(0).bytes), (kVaultCustomIconItemAttr, UInt32(0).bytes),
      (kVaultProtectedDataItemAttr, []), (kVaultAlias, []))
    #expect(list.modify(item) == errVaultSuccess)
    #expect(try stored().revision == before.revision)
    item.release()
  }

  @Test("a change that collides leaves both items, and the reference, as they were")
  func collision() throws {
    var words = Words.full
    words.account = "berta"
    let other = try words.added("other", to: fixture.reference)
    let list = Attributes((kVaultAccountItemAttr, "ann".array), (kVaultLabelItemAttr, "x".array))
    #expect(list.modify(other) == errVaultDuplicateItem)
    #expect(try copied(kVaultAccountItemAttr, of: other).text == "berta")
    // Apple's implementation would apply the conflicting change again, and fail again.
    #expect(Attributes(kVaultCommentItemAttr, "later").modify(other) == errVaultSuccess)
    #expect(secret(of: item).secret == "secret".array)
    #expect(words.find(in: fixture.reference).secret == "other".array)
    #expect(try Set(fixture.items().map(\.label)) == ["mail.example.com"])
    other.release()
    item.release()
  }

  @Test("a reference stays good when another one renames its item")
  func rename() throws {
    let second = Words.full.find(in: fixture.reference).item
    #expect(Attributes(kVaultServerItemAttr, "pop.example.com").modify(second) == errVaultSuccess)
    #expect(try copied(kVaultServerItemAttr, of: item).text == "pop.example.com")
    #expect(try copied(kVaultLabelItemAttr, of: item).text == "mail.example.com", "not made anew")
    #expect(Attributes(kVaultCommentItemAttr, "x").modify(item) == errVaultSuccess)
    #expect(unsafe VaultItemDelete(item.pointer) == errVaultSuccess)
    second.release()
    item.release()
  }

  @Test("a deleted item is not found, by whatever function its reference is used")
  func deleted() throws {
    #expect(unsafe VaultItemDelete(item.pointer) == errVaultSuccess)
    #expect(unsafe VaultItemDelete(item.pointer) == errVaultItemNotFound)
    #expect(unsafe VaultItemModifyContent(item.pointer, nil, 0, nil) == errVaultItemNotFound)
    #expect(Attributes(kVaultLabelItemAttr, "x").modify(item) == errVaultItemNotFound)
    #expect(secret(of: item).status == errVaultItemNotFound)
    #expect(copy([kVaultLabelItemAttr], of: item).status == errVaultItemNotFound)
    item.release()
    #expect(try fixture.items().isEmpty)
  }
}
