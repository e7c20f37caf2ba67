import CVault
import CredentialVault
import SecureMemory
import Testing
import VaultC
import VaultModel

@Suite("Keychain: copying")
struct CopyingTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  /// The tags in the order in which Apple lists them.
  static let tags = [
    7, 8, kVaultAccountItemAttr, kVaultAuthenticationTypeItemAttr, kVaultCreationDateItemAttr,
    kVaultCreatorItemAttr, kVaultCustomIconItemAttr, kVaultDescriptionItemAttr,
    kVaultCommentItemAttr, kVaultInvisibleItemAttr, kVaultModDateItemAttr, kVaultNegativeItemAttr,
    kVaultPathItemAttr, kVaultPortItemAttr, kVaultProtectedDataItemAttr, kVaultProtocolItemAttr,
    kVaultScriptCodeItemAttr, kVaultSecurityDomainItemAttr, kVaultServerItemAttr,
    kVaultTypeItemAttr,
  ]

  @Test("every attribute has its format")
  func formats() throws {
    let stored = try fixture.vault.add(Item(everyAttributeOn: "example.com")).item
    let reference = Words().find(in: fixture.reference).item
    let (status, copies) = copy(Self.tags, of: reference)
    #expect(status == errVaultSuccess)
    let date = try #require(stored.created.rfc3339.split(separator: ".").first).filter(\.isNumber)
    let expected: [[UInt8]?] = [
      "Example".array, nil, "ann".array, "httd".array, "\(date)Z\0".array,
      UInt32(0x6D69_6E65).bytes, nil, "a kind".array, "a remark".array, UInt32(1).bytes,
      "\(date)Z\0".array, UInt32(1).bytes, "/p".array, UInt32(8443).bytes, nil,
      UInt32(0x6874_7073).bytes, nil, "staff".array, "example.com".array, UInt32(7).bytes,
    ]
    for (index, copied) in copies.enumerated() {
      #expect(copied.bytes == expected[index], "tag \(Self.tags[index])")
      #expect(copied.length == UInt32(expected[index]?.count ?? 0))
    }
    reference.release()
  }

  @Test("what is unset is NULL and 0; only protocol, type and port are 4 bytes always")
  func unset() throws {
    let item = try Words().added(to: fixture.reference)
    for (tag, copied) in zip(Self.tags, copy(Self.tags, of: item).copies) {
      switch tag {
      case kVaultAuthenticationTypeItemAttr, kVaultPortItemAttr, kVaultProtocolItemAttr:
        #expect(copied == Copied(length: 4, bytes: [0, 0, 0, 0]))
      case kVaultCreationDateItemAttr, kVaultModDateItemAttr: #expect(copied.length == 16)
      default: #expect(copied == Copied(length: 0, bytes: nil), "tag \(tag)")
      }
    }
    item.release()
  }

  @Test("a tag of another class refuses the whole call, and touches nothing")
  func foreign() throws {
    let item = try Words.full.added(to: fixture.reference)
    let (status, copies) = copy([kVaultAccountItemAttr, kVaultServiceItemAttr], of: item)
    #expect(status == errVaultNoSuchAttr)
    #expect(copies.allSatisfy { $0 == Copied(length: 77, bytes: nil) })
    item.release()
  }

  @Test("a tag may be there twice, and each copy is its own")
  func twice() throws {
    let item = try Words.full.added(to: fixture.reference)
    let (status, copies) = copy([kVaultAccountItemAttr, kVaultAccountItemAttr], of: item)
    #expect(status == errVaultSuccess)
    #expect(copies.map(\.text) == ["ann", "ann"])
    item.release()
  }

  @Test("each output may be left out, and the length alone is given, too")
  func outputs() throws {
    let item = try Words.full.added("four", to: fixture.reference)
    var itemClass: VaultItemClass = 0
    var length: UInt32 = 77
    // The places are this function's own.
    #expect(unsafe VaultItemCopyContent(item.pointer, nil, nil, nil, nil) == errVaultSuccess)
    #expect(
      unsafe VaultItemCopyContent(item.pointer, &itemClass, nil, &length, nil) == errVaultSuccess)
    #expect(itemClass == VaultItemClass(kVaultInternetPasswordItemClass) && length == 4)
    var list = unsafe VaultAttributeList(count: 1, attr: nil)
    #expect(unsafe VaultItemCopyContent(item.pointer, nil, &list, nil, nil) == errVaultParam)
    item.release()
  }

  @Test("freeing empties the values of a list, whose lengths and array stay")
  func freeing() throws {
    let item = try Words.full.added(to: fixture.reference)
    var attribute = unsafe VaultAttribute(
      tag: VaultItemAttr(kVaultAccountItemAttr), length: 0, data: nil)
    unsafe withUnsafeMutablePointer(to: &attribute) { attribute in
      // The attribute lies where it is until the calls are over.
      var list = unsafe VaultAttributeList(count: 1, attr: attribute)
      #expect(unsafe VaultItemCopyContent(item.pointer, nil, &list, nil, nil) == errVaultSuccess)
      #expect(unsafe attribute.pointee.data != nil)
      for _ in 1...2 {
        #expect(unsafe VaultItemFreeContent(&list, nil) == errVaultSuccess)
        #expect(unsafe attribute.pointee.data == nil && attribute.pointee.length == 3)
      }
    }
    #expect(VaultItemFreeContent(nil, nil) == errVaultSuccess)
    #expect(VaultItemFreeAttributesAndData(nil, nil) == errVaultSuccess)
    item.release()
  }

  @Test("a new list has the tags in their order, and without tags there is none")
  func newList() throws {
    let item = try Words.full.added(to: fixture.reference)
    defer { item.release() }
    var tags = [UInt32(7), UInt32(kVaultPortItemAttr)]
    var list: UnsafeMutablePointer<VaultAttributeList>?
    var length: UInt32 = 0
    var data: UnsafeMutableRawPointer?
    // The tags lie where they are until the call is over; the places are this function's own.
    let status = unsafe tags.withUnsafeMutableBufferPointer { tags in
      var info = unsafe VaultAttributeInfo(count: 2, tag: tags.baseAddress, format: nil)
      return unsafe VaultItemCopyAttributesAndData(item.pointer, &info, nil, &list, &length, &data)
    }
    #expect(status == errVaultSuccess && length == 6)
    // The list is the library's, with as many attributes as it says.
    let given = try unsafe #require(list).pointee
    let array = try unsafe #require(given.attr)
    #expect(unsafe given.count == 2 && array[0].tag == 7 && array[0].length == 16)
    #expect(unsafe array[1].tag == tags[1] && array[1].length == 4)
    #expect(unsafe VaultItemFreeAttributesAndData(list, data) == errVaultSuccess)

    let mark = unsafe UnsafeMutablePointer<VaultAttributeList>(bitPattern: 0x1238)
    unsafe list = mark
    #expect(
      unsafe VaultItemCopyAttributesAndData(item.pointer, nil, nil, &list, nil, nil)
        == errVaultSuccess)
    #expect(unsafe list == mark)
    var none = unsafe VaultAttributeInfo(count: 1, tag: nil, format: nil)
    #expect(
      unsafe VaultItemCopyAttributesAndData(item.pointer, &none, nil, &list, nil, nil)
        == errVaultParam)
    #expect(unsafe list == mark)
  }

  @Test("a locked vault gives no attributes: they are sealed like the secret")
  func locked() throws {
    let item = try Words.full.added(to: fixture.reference)
    #expect(unsafe VaultLock(fixture.reference.pointer) == errVaultSuccess)
    #expect(copy([kVaultLabelItemAttr], of: item).status == errVaultInteractionNotAllowed)
    item.release()
  }
}
