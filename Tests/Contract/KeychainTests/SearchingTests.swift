import CVault
import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultC
import VaultModel

@Suite("Keychain: searching")
struct SearchingTests {
  let fixture: Fixture
  var vault: Reference { fixture.reference }

  init() throws {
    fixture = try Fixture()
  }

  @Test(
    "without attributes all items are found, in the vault's order, and then the end, again and again"
  )
  func all() throws {
    for server in ["c.example", "a.example", "b.example"] {
      try Words(server: server).added(to: vault).release()
    }
    #expect(try Attributes().servers(in: vault) == ["a.example", "b.example", "c.example"])
    var search: VaultSearchRef?
    // The place is this function's own.
    let status = unsafe VaultSearchCreateFromAttributes(
      vault.raw, VaultItemClass(kVaultInternetPasswordItemClass), nil, &search)
    #expect(status == errVaultSuccess)
    let all = unsafe Reference(search)
    for _ in 1...3 {
      let (status, item) = next(all)
      #expect(status == errVaultSuccess)
      item.release()
    }
    #expect(next(all).status == errVaultItemNotFound)
    #expect(next(all).status == errVaultItemNotFound)
    all.release()
  }

  @Test("every attribute narrows: to its value, and with the length 0 to what is unset")
  func attributes() throws {
    try fixture.vault.add(Item(everyAttributeOn: "full.example"))
    var empty = Item(authenticationMethod: .unset)
    empty.secret = Secret("")
    try fixture.vault.add(empty)
    let tags = Set(CopyingTests.tags).subtracting([
      kVaultCreationDateItemAttr, kVaultModDateItemAttr, 8, kVaultCustomIconItemAttr,
      kVaultScriptCodeItemAttr, kVaultProtectedDataItemAttr,
    ])
    let full = Words(server: "full.example").find(in: vault).item
    for tag in tags {
      let value = try #require(try copied(tag, of: full).bytes)
      #expect(try Attributes((tag, value)).servers(in: vault) == ["full.example"], "tag \(tag)")
      #expect(try Attributes((tag, [])).servers(in: vault) == [""], "tag \(tag)")
    }
    full.release()
  }

  @Test("attributes are asked for all at once, and what is kept of a number 0 is unset")
  func several() throws {
    try Words(server: "a.example", account: "ann", port: 1).added(to: vault).release()
    try Words(server: "b.example", account: "ann").added(to: vault).release()
    try Words(server: "c.example", port: 1).added(to: vault).release()
    let both = Attributes((kVaultAccountItemAttr, "ann".array), (kVaultPortItemAttr, [1]))
    #expect(try both.servers(in: vault) == ["a.example"])
    #expect(try Attributes(kVaultPortItemAttr, number: 0).servers(in: vault) == ["b.example"])
    #expect(try Attributes(kVaultServerItemAttr, "A.Example.").servers(in: vault) == ["a.example"])
  }

  @Test("dates match to the second, and what vaults do not keep is unset")
  func remaining() throws {
    let item = try Words(server: "a.example").added(to: vault)
    let date = try #require(try copied(kVaultCreationDateItemAttr, of: item).bytes)
    item.release()
    #expect(try Attributes((kVaultCreationDateItemAttr, date)).servers(in: vault) == ["a.example"])
    let other = "19990101000000Z\0".array
    #expect(try Attributes((kVaultModDateItemAttr, other)).servers(in: vault) == [])
    for bytes in [date.dropLast(), [1, 2, 3, 4], [1, 2, 3, 4, 5, 6, 7, 8]] as [[UInt8]] {
      let (status, _) = Attributes((kVaultCreationDateItemAttr, bytes)).search(vault)
      #expect(status == errVaultInvalidValue)
    }
    for tag in [kVaultScriptCodeItemAttr, kVaultCustomIconItemAttr] {
      #expect(try Attributes(tag, number: 0).servers(in: vault) == ["a.example"])
      #expect(try Attributes(tag, number: 1).servers(in: vault) == [])
    }
    for tag in [kVaultProtectedDataItemAttr, kVaultAlias] {
      #expect(try Attributes((tag, [])).servers(in: vault) == ["a.example"])
      #expect(try Attributes((tag, [0])).servers(in: vault) == [])
    }
  }

  @Test("a search has what matched when it began, but for what was deleted since")
  func snapshot() throws {
    let items = try ["a.example", "b.example", "c.example"].map {
      try Words(server: $0, account: "ann").added(to: vault)
    }
    let (status, search) = Attributes(kVaultAccountItemAttr, "ann").search(vault)
    #expect(status == errVaultSuccess)
    #expect(unsafe VaultItemDelete(items[0].pointer) == errVaultSuccess)
    #expect(Attributes(kVaultAccountItemAttr, "berta").modify(items[1]) == errVaultSuccess)
    #expect(Attributes(kVaultServerItemAttr, "d.example").modify(items[2]) == errVaultSuccess)
    try Words(server: "e.example", account: "ann").added(to: vault).release()
    var servers: [String] = []
    while true {
      let (status, item) = next(search)
      guard status == errVaultSuccess else { break }
      servers.append(try copied(kVaultServerItemAttr, of: item).text)
      item.release()
    }
    #expect(servers == ["b.example", "d.example"])
    search.release()
    for item in items { item.release() }
  }

  @Test("what cannot be searched for is refused, and gives no search")
  func refused() throws {
    let twice = Attributes((kVaultLabelItemAttr, "a".array), (7, "a".array))
    let refused: [(Attributes, Int)] = [
      (twice, errVaultInvalidQuery),
      (Attributes(kVaultServiceItemAttr, "a"), errVaultNoSuchAttr),
      (Attributes((kVaultPortItemAttr, [1, 2, 3])), errVaultInvalidValue),
      (Attributes(kVaultPortItemAttr, number: 65536), errVaultInvalidValue),
      (Attributes((kVaultAuthenticationTypeItemAttr, [1])), errVaultInvalidValue),
      (Attributes(kVaultServerItemAttr, "no host"), errVaultParam),
    ]
    for (attributes, status) in refused {
      let found = attributes.search(vault)
      #expect(found.status == status && found.search.address == 0)
    }
    var search: VaultSearchRef?
    // 'ashp', a password of an AppleShare volume.
    let volumePassword: VaultItemClass = 0x6173_6870
    // The place is this function's own.
    let status = unsafe VaultSearchCreateFromAttributes(vault.raw, volumePassword, nil, &search)
    #expect(status == errVaultNoSuchClass)
    let inet = VaultItemClass(kVaultInternetPasswordItemClass)
    #expect(unsafe VaultSearchCreateFromAttributes(vault.raw, inet, nil, nil) == errVaultParam)
  }

  @Test("a vault that is locked in between stops a search, which goes on when it is unlocked")
  func locked() throws {
    try Words(server: "a.example").added(to: vault).release()
    let (_, search) = Attributes().search(vault)
    #expect(unsafe VaultLock(vault.pointer) == errVaultSuccess)
    #expect(next(search).status == errVaultInteractionNotAllowed)
    try fixture.vault.unlock(with: .keyFile(fixture.folder.file("key")))
    let (status, item) = next(search)
    #expect(status == errVaultSuccess)
    item.release()
    search.release()
  }
}
