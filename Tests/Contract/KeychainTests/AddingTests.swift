import CVault
import CredentialVault
import SecureMemory
import Testing
import VaultC
import VaultModel

@Suite("Keychain: adding")
struct AddingTests {
  let fixture: Fixture
  var vault: Reference { fixture.reference }

  init() throws {
    fixture = try Fixture()
  }

  @Test("every parameter becomes its attribute, and nothing is made up")
  func attributes() throws {
    try Words.full.added(to: vault).release()
    let item = try #require(try fixture.items().first)
    let key = Item.Key(
      account: "ann", realm: "staff", server: try HostName("mail.example.com"), protocol: .imaps,
      authenticationMethod: .default, port: 993, path: "/inbox")
    #expect(item.key == key)
    #expect(item.secret?.isEqual(to: Secret("secret")) == true)
    #expect(item.creator == 0, "Apple's 'aapl' is Apple's")
    #expect(item.persistence == .permanent && item.type == 0 && item.comment.isEmpty)
  }

  @Test("the label becomes the server, and without one the account")
  func label() throws {
    try Words(server: "example.com", account: "ann").added(to: vault).release()
    try Words(account: "ann").added(to: vault).release()
    #expect(Set(try fixture.items().map(\.label)) == ["example.com", "ann"])
  }

  @Test("an empty item can be added, once")
  func empty() throws {
    try Words().added(to: vault).release()
    #expect(Words().add(to: vault).status == errVaultDuplicateItem)
    #expect(try fixture.items().first?.key == Item.Key(authenticationMethod: .unset))
  }

  @Test("an item of the same key is a duplicate, nothing is changed, and no reference given")
  func duplicate() throws {
    try Words.full.added(to: vault).release()
    let before = try fixture.items()
    var item = unsafe VaultItemRef(bitPattern: 0x4321)
    // The strings are valid during the call; the place is this function's own.
    let status = unsafe VaultAddInternetPassword(
      vault.pointer, 16, "Mail.Example.com", 5, "staff", 3, "ann", 6, "/inbox", 993,
      VaultProtocolType(kVaultProtocolTypeIMAPS),
      VaultAuthenticationType(kVaultAuthenticationTypeDefault), 3, "new", &item)
    #expect(status == errVaultDuplicateItem, "the server in another spelling is the same")
    #expect(unsafe item == VaultItemRef(bitPattern: 0x4321))
    #expect(try fixture.items().map(\.revision) == before.map(\.revision))
    #expect(Words.full.find(in: vault).secret == "secret".array)
  }

  @Test("each part of the key alone makes another item", arguments: FindingTests.parameters.indices)
  func otherKey(_ index: Int) throws {
    try Words.full.added(to: vault).release()
    try FindingTests.parameters[index].other.added(to: vault).release()
    try FindingTests.parameters[index].any.added(to: vault).release()
    #expect(try fixture.items().count == 3)
  }

  @Test("a password that is NULL has the length 0")
  func noPassword() throws {
    func add(_ length: UInt32) -> Int32 {
      unsafe VaultAddInternetPassword(
        vault.pointer, 1, "a", 0, nil, 0, nil, 0, nil, 0, 0, 0, length, nil, nil)
    }
    #expect(add(1) == errVaultParam)
    #expect(try fixture.items().isEmpty)
    #expect(add(0) == errVaultSuccess)
    #expect(Words(server: "a").find(in: vault).secret == [])
  }

  @Test("a secret of 1 MiB is kept, and a longer one too large")
  func large() throws {
    let most = [UInt8](repeating: 7, count: 1 << 20)
    #expect(Words(account: "a").add(most + [7], to: vault).status == errVaultDataTooLarge)
    let (status, item) = Words(account: "a").add(most, to: vault)
    #expect(status == errVaultSuccess)
    item.release()
    #expect(Words(account: "a").find(in: vault).secret == most)
  }

  @Test("what counts is what the policy lets be kept: none is a refusal, a session a success")
  func policy() throws {
    var none = PersistencePolicy.Rule(name: "none")
    none.host = try HostPattern("never.example.com")
    none.maximumPersistence = Persistence.none
    var session = PersistencePolicy.Rule(name: "session")
    session.host = try HostPattern("short.example.com")
    session.maximumPersistence = .session
    var proven = PersistencePolicy.Rule(name: "proven")
    proven.persistOnlyAfterAcceptance = true
    try fixture.vault.policy.update { [none, session, proven] in $0 = [none, session, proven] }
    #expect(Words(server: "never.example.com").add(to: vault).status == errVaultWrPerm)
    #expect(try fixture.items().isEmpty)
    try Words(server: "short.example.com").added(to: vault).release()
    // A program saves only a working password, so it is accepted.
    let item = try Words(server: "other.example.com").added(to: vault)
    #expect(try fixture.items().map(\.persistence) == [.permanent, .session])
    let change = Attributes(kVaultServerItemAttr, "never.example.com")
    #expect(change.modify(item) == errVaultWrPerm)
    #expect(try copied(kVaultServerItemAttr, of: item).text == "other.example.com")
    item.release()
  }
}
