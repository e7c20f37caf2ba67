import VaultAdministration
import CVault
import CredentialVault
import Glibc
import SecureMemory
import TestSupport
import Testing
import VaultC
import VaultModel

@Suite("Keychain: vaults and lists of them")
struct VaultsTests {
  let first: Fixture
  let second: Fixture

  init() throws {
    first = try Fixture()
    second = try Fixture()
  }

  private func list(_ vaults: Reference...) -> (status: Int, list: Reference) {
    var list: VaultListRef?
    let pointers = unsafe vaults.map(\.pointer)
    // The array is valid during the call, and the place is this function's own.
    let status = unsafe VaultListCreate(pointers, UInt32(vaults.count), &list)
    return unsafe (Int(status), Reference(list))
  }

  @Test("a list is searched in its order, and the first vault with a match has it")
  func order() throws {
    try Words(server: "both.example", account: "a").added("second", to: second.reference).release()
    try Words(server: "both.example", account: "z").added("first", to: first.reference).release()
    try Words(server: "one.example").added("only", to: second.reference).release()
    let (status, both) = list(first.reference, second.reference)
    #expect(status == errVaultSuccess)
    #expect(Words(server: "both.example").find(in: both).secret == "first".array)
    #expect(Words(server: "one.example").find(in: both).secret == "only".array)
    #expect(Words(server: "none.example").find(in: both).status == errVaultItemNotFound)
    #expect(
      try Attributes().servers(in: both) == ["both.example", "one.example", "both.example"])
    let (_, other) = list(second.reference, first.reference)
    #expect(Words(server: "both.example").find(in: other).secret == "second".array)
    both.release()
    other.release()
  }

  @Test("an item that was found in a list is changed and deleted where it is")
  func place() throws {
    try Words(server: "one.example").added(to: second.reference).release()
    let (_, both) = list(first.reference, second.reference)
    let item = Words(server: "one.example").find(in: both).item
    #expect(Attributes(kVaultCommentItemAttr, "x").modify(item) == errVaultSuccess)
    #expect(try second.items().map(\.comment) == ["x"])
    #expect(unsafe VaultItemDelete(item.pointer) == errVaultSuccess)
    #expect(try second.items().isEmpty)
    item.release()
    both.release()
  }

  @Test("a locked vault in a list is an error where the search comes to it, and not passed over")
  func locked() throws {
    try Words(server: "a.example").added(to: first.reference).release()
    try Words(server: "b.example").added(to: second.reference).release()
    let (_, both) = list(first.reference, second.reference)
    #expect(unsafe VaultLock(second.reference.pointer) == errVaultSuccess)
    #expect(Words(server: "a.example").find(in: both).status == errVaultSuccess)
    #expect(Words(server: "b.example").find(in: both).status == errVaultInteractionNotAllowed)
    #expect(Attributes().search(both).status == errVaultInteractionNotAllowed)
    let (_, other) = list(second.reference, first.reference)
    #expect(Words(server: "a.example").find(in: other).status == errVaultInteractionNotAllowed)
    both.release()
    other.release()
  }

  @Test("an expired item of one vault does not hide another's")
  func expired() throws {
    try Words(server: "a.example").added("old", to: first.reference).release()
    try Words(server: "a.example").added("new", to: second.reference).release()
    try first.vault.modify(first.items()[0], [.expires(Timestamp(milliseconds: 1))])
    let (_, both) = list(first.reference, second.reference)
    #expect(Words(server: "a.example").find(in: both).secret == "new".array)
    both.release()
  }

  @Test("an empty list has nothing, and a list outlives its vaults' references")
  func lifetimes() throws {
    try Words(server: "a.example").added(to: first.reference).release()
    let (status, none) = list()
    #expect(status == errVaultSuccess)
    #expect(Words().find(in: none).status == errVaultItemNotFound)
    let own = try Fixture.open(first.path)
    let (_, one) = list(own)
    own.release()
    #expect(Words().find(in: one).status == errVaultSuccess)
    #expect(Words().find(in: own).status == errVaultInvalidKeychain)
    one.release()
    none.release()
  }

  @Test("what is no vault is an error, and never another vault")
  func invalid() throws {
    let item = try Words(server: "a.example").added(to: first.reference)
    let (_, search) = Attributes().search(first.reference)
    let (_, both) = list(first.reference, second.reference)
    let released = try Fixture.open(first.path)
    released.release()
    var number = 7
    // The addresses are compared, and nothing is read through them.
    let stray = unsafe withUnsafeMutablePointer(to: &number) { unsafe Reference(OpaquePointer($0)) }
    for wrong in [released, stray] {
      #expect(Words().find(in: wrong).status == errVaultInvalidKeychain)
      #expect(Words().add(to: wrong).status == errVaultInvalidKeychain)
      #expect(Attributes().search(wrong).status == errVaultInvalidKeychain)
      #expect(list(first.reference, wrong).status == errVaultInvalidKeychain)
    }
    for other in [item, search] {
      #expect(Words().find(in: other).status == errVaultParam)
      #expect(Words().add(to: other).status == errVaultInvalidKeychain)
    }
    #expect(Words().add(to: both).status == errVaultInvalidKeychain)
    #expect(list(.null).status == errVaultInvalidKeychain)
    var status: UInt32 = 77
    for wrong in [released, stray, item, both] {
      #expect(unsafe VaultLock(wrong.pointer) == errVaultInvalidKeychain)
      #expect(unsafe VaultUnlock(wrong.pointer, 0, nil, 0) == errVaultInvalidKeychain)
      #expect(unsafe VaultGetStatus(wrong.pointer, &status) == errVaultInvalidKeychain)
    }
    #expect(status == 77)
    #expect(try first.items().count == 1)
    for reference in [item, search, both] { reference.release() }
  }

  @Test("a vault is locked, and unlocked with a passphrase or not at all")
  func locking() throws {
    // The least that is allowed; the cost of the test's passphrase does not matter.
    try first.vault.keys.add(.passphrase(Secret("open")), name: "p", cost: .minimum)
    func status() -> Int {
      var status: UInt32 = 0
      // The place is this function's own.
      let result = unsafe VaultGetStatus(first.reference.pointer, &status)
      return result == errVaultSuccess ? Int(status) : Int(result)
    }
    let permissions = kVaultReadPermStatus + kVaultWritePermStatus
    #expect(status() == kVaultUnlockStateStatus + permissions)
    #expect(
      unsafe VaultUnlock(first.reference.pointer, 0, nil, 0) == errVaultSuccess, "it is already")
    #expect(unsafe VaultLock(first.reference.pointer) == errVaultSuccess)
    #expect(status() == permissions)
    #expect(unsafe VaultUnlock(first.reference.pointer, 3, "bad", 1) == errVaultAuthFailed)
    #expect(unsafe VaultUnlock(first.reference.pointer, 3, nil, 1) == errVaultParam)
    #expect(unsafe VaultUnlock(first.reference.pointer, 0, "", 1) == errVaultAuthFailed)
    #expect(unsafe VaultUnlock(first.reference.pointer, 0, nil, 1) == errVaultAuthFailed)
    #expect(unsafe VaultUnlock(first.reference.pointer, 0, nil, 0) == errVaultAuthFailed)
    #expect(status() == permissions)
    #expect(unsafe VaultUnlock(first.reference.pointer, 4, "open", 1) == errVaultSuccess)
    #expect(status() == kVaultUnlockStateStatus + permissions)
    #expect(unsafe VaultGetStatus(first.reference.pointer, nil) == errVaultParam)
  }

  @Test("a reference to a path without a vault opens the vault that is there later")
  func openingLater() throws {
    var vault: VaultRef?
    let path = first.folder.file("later")
    // The path is valid during the calls; the places are this function's own.
    #expect(unsafe VaultOpen(path, &vault) == errVaultSuccess)
    let reference = unsafe Reference(vault)
    #expect(Words().find(in: reference).status == errVaultNoSuchKeychain)
    #expect(Words().add(to: reference).status == errVaultNoSuchKeychain)
    let made = try Vault.create(path: path, key: .keyFile(first.folder.file("key")))
    #expect(Words().find(in: reference).status == errVaultItemNotFound)
    #expect(Words(server: "a.example").add(to: reference).status == errVaultSuccess)
    #expect(try made.findAll(ItemQuery()).map(\.server.name) == ["a.example"])
    reference.release()
    #expect(Words().find(in: reference).status == errVaultInvalidKeychain)
  }

  @Test("a path to something else, and no path, are errors")
  func opening() throws {
    var vault: VaultRef?
    // The paths are valid during the calls; the place is this function's own.
    #expect(unsafe VaultOpen(first.folder.file("key"), &vault) != errVaultSuccess)
    #expect(unsafe VaultOpen(nil, &vault) == errVaultParam)
    #expect(unsafe VaultOpen(first.path, nil) == errVaultParam)
    #expect(unsafe vault == nil)
  }

  @Test("a vault that nobody can write is opened for reading, whoever can read it")
  func readOnly() throws {
    let path = first.folder.file("made.vault")
    var made: VaultRef?
    // The texts are C strings during the call, and the place is this function's own.
    try #require(unsafe VaultCreate(path, 8, "password", 0, nil, &made) == errVaultSuccess)
    let reference = unsafe Reference(made)
    try Words(server: "a.example").added("secret", to: reference).release()
    reference.release()
    for mode in [0o400, 0o440, 0o444] as [UInt32] {
      let copy = try first.folder.write(first.folder.bytes(path), as: "copy-\(mode)")
      // A C string during the call.
      #expect(unsafe chmod(copy, mode) == 0)
      let opened = try Fixture.open(copy)
      var status: UInt32 = 0
      // The text is a C string during the call, and the place is this function's own.
      #expect(unsafe VaultUnlock(opened.pointer, 8, "password", 1) == errVaultSuccess)
      #expect(unsafe VaultGetStatus(opened.pointer, &status) == errVaultSuccess)
      #expect(status == UInt32(kVaultUnlockStateStatus | kVaultReadPermStatus))
      let found = Words(server: "a.example").find(in: opened)
      #expect(found.secret == "secret".array)
      found.item.release()
      #expect(Words(server: "b.example").add(to: opened).status == errVaultReadOnly)
      opened.release()
    }
  }
}
