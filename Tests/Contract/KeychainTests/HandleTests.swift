import CVault
import Testing
import VaultC
import VaultModel

@Suite("Keychain: references")
struct HandleTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  @Test("a reference is counted, and none after its last owner released it")
  func counting() throws {
    let item = try Words.full.added(to: fixture.reference)
    #expect(unsafe VaultItemRetain(item.pointer) == item.pointer)
    #expect(unsafe VaultRetain(item.raw) == item.raw)
    unsafe VaultItemRelease(item.pointer)
    item.release()
    #expect(secret(of: item).status == errVaultSuccess)
    item.release()
    #expect(secret(of: item).status == errVaultInvalidItemRef)
    #expect(unsafe VaultItemRetain(item.pointer) == nil)
    #expect(unsafe VaultRetain(item.raw) == nil)
    item.release()
    unsafe VaultItemRelease(item.pointer)
  }

  @Test("what is no reference is none, and is left alone")
  func strays() throws {
    #expect(unsafe VaultRetain(nil) == nil && VaultItemRetain(nil) == nil)
    VaultRelease(nil)
    VaultItemRelease(nil)
    // A vault is not an item: releasing it as one does nothing.
    #expect(unsafe VaultItemRetain(fixture.reference.pointer) == nil)
    unsafe VaultItemRelease(fixture.reference.pointer)
    #expect(Words().find(in: fixture.reference).status == errVaultItemNotFound)
  }

  @Test("every function on an item says what is none", arguments: ["NULL", "a vault"])
  func notAnItem(_ kind: String) throws {
    let wrong = kind == "NULL" ? .null : fixture.reference
    #expect(secret(of: wrong).status == errVaultInvalidItemRef)
    #expect(Attributes().modify(wrong) == errVaultInvalidItemRef)
    #expect(Attributes().modify(wrong, unsetting: true) == errVaultInvalidItemRef)
    #expect(unsafe VaultItemDelete(wrong.pointer) == errVaultInvalidItemRef)
    #expect(
      unsafe VaultItemCopyAttributesAndData(wrong.pointer, nil, nil, nil, nil, nil)
        == errVaultInvalidItemRef)
    #expect(next(wrong).status == errVaultInvalidSearchRef)
  }

  @Test("an item keeps its vault open after the vault's last reference")
  func itemAlone() throws {
    let own = try Fixture.open(fixture.path)
    let item = try Words.full.added(to: own)
    own.release()
    #expect(Attributes(kVaultCommentItemAttr, "x").modify(item) == errVaultSuccess)
    #expect(try fixture.items().map(\.comment) == ["x"])
    item.release()
  }

  @Test("an item of a vault that was closed cannot be used any more")
  func closed() throws {
    let own = try Fixture.open(fixture.path)
    let item = try Words.full.added(to: own)
    #expect(unsafe vault_close(own.pointer) == VAULT_OK)
    #expect(secret(of: item).status == errVaultInvalidKeychain)
    #expect(Words().find(in: own).status == errVaultInvalidKeychain)
    item.release()
  }

  @Test("references of both interfaces are the same, and what fails has a text")
  func both() throws {
    let item = try Words.full.added(to: fixture.reference)
    #expect(Attributes(kVaultPortItemAttr, number: 143).modify(item) == errVaultSuccess)
    var port: UInt64 = 0
    // The place is this function's own.
    #expect(unsafe vault_item_get_number(item.pointer, VAULT_PORT, &port) == VAULT_OK)
    #expect(port == 143)
    #expect(unsafe vault_item_release(item.pointer) == VAULT_OK)
    #expect(secret(of: item).status == errVaultInvalidItemRef)
    // The text is valid until this thread's next failure.
    #expect(
      unsafe String(cString: try #require(vault_last_error()))
        == "no item, or one that was released")
  }
}
