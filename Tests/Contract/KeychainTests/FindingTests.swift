import CVault
import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultC
import VaultModel

@Suite("Keychain: finding")
struct FindingTests {
  let fixture: Fixture
  var vault: Reference { fixture.reference }

  init() throws {
    fixture = try Fixture()
  }

  /// Each parameter alone: with another value, and with none.
  static let parameters: [(name: String, other: Words, any: Words)] = {
    let full = Words.full
    func change(_ name: String, _ change: (inout Words, Bool) -> Void) -> (String, Words, Words) {
      var (other, any) = (full, full)
      change(&other, true)
      change(&any, false)
      return (name, other, any)
    }
    return [
      change("server") { $0.server = $1 ? "example.com" : nil },
      change("domain") { $0.domain = $1 ? "Staff" : nil },
      change("account") { $0.account = $1 ? "anna" : nil },
      change("path") { $0.path = $1 ? "/inbox/" : nil },
      change("port") { $0.port = $1 ? 143 : 0 },
      change("protocol") { $0.proto = $1 ? VaultProtocolType(kVaultProtocolTypeIMAP) : 0 },
      change("type") {
        $0.type = $1 ? VaultAuthenticationType(kVaultAuthenticationTypeHTTPBasic) : 0
      },
    ]
  }()

  @Test("what is named has to be equal, and NULL and 0 are anything", arguments: parameters.indices)
  func wildcards(_ index: Int) throws {
    let (name, other, any) = Self.parameters[index]
    try Words.full.added(to: vault).release()
    #expect(Words.full.find(in: vault).secret == "secret".array)
    #expect(other.find(in: vault).status == errVaultItemNotFound, "\(name)")
    #expect(any.find(in: vault).status == errVaultSuccess, "\(name)")
  }

  @Test("nothing named at all finds any item, and none in an empty vault")
  func nothing() throws {
    #expect(Words().find(in: vault).status == errVaultItemNotFound)
    try Words.full.added(to: vault).release()
    #expect(Words().find(in: vault).secret == "secret".array)
  }

  @Test("NULL with a length, and a pointer with the length 0, are anything")
  func lengths() throws {
    try Words.full.added(to: vault).release()
    // The literal is valid during the call, and nothing of it is to be read.
    let found = unsafe VaultFindInternetPassword(
      vault.raw, 9, nil, 0, "other", 0, "other", 0, "other", 0, 0, 0, nil, nil, nil)
    #expect(found == errVaultSuccess)
  }

  @Test("a path is as long as is said, and not as far as a NUL")
  func pathLength() throws {
    try Words.full.added(to: vault).release()
    func find(_ length: UInt32) -> Int32 {
      // The literal is longer than what is read of it.
      unsafe VaultFindInternetPassword(
        vault.raw, 0, nil, 0, nil, 0, nil, length, "/inbox/old", 0, 0, 0, nil, nil, nil)
    }
    #expect(find(6) == errVaultSuccess)
    #expect(find(7) == errVaultItemNotFound)
    #expect(find(11) == errVaultParam, "it has the literal's NUL in it")
  }

  @Test("the authentication type Default is a value and no wildcard")
  func defaultType() throws {
    var digest = Words.full
    digest.type = VaultAuthenticationType(kVaultAuthenticationTypeHTTPDigest)
    try digest.added("digest", to: vault).release()
    #expect(Words.full.find(in: vault).status == errVaultItemNotFound)
    try Words.full.added("default", to: vault).release()
    #expect(Words.full.find(in: vault).secret == "default".array)
    #expect(digest.find(in: vault).secret == "digest".array)
  }

  @Test(
    "a server is found in every spelling", arguments: ["MAIL.Example.com", "mail.example.com."])
  func canonical(_ spelling: String) throws {
    try Words.full.added(to: vault).release()
    #expect(Words(server: spelling).find(in: vault).status == errVaultSuccess)
  }

  @Test("what no item can have is an argument without meaning, and no wildcard")
  func impossible() throws {
    try Words.full.added(to: vault).release()
    let impossible = [
      Words(server: "my server"), Words(server: "."), Words(account: "a\0"), Words(domain: "\0"),
    ]
    for words in impossible {
      #expect(words.find(in: vault).status == errVaultParam)
      #expect(words.add(to: vault).status == errVaultParam)
    }
    let latin: [CChar] = [0x61, -4]
    // The array is valid during the call.
    let status = unsafe VaultFindInternetPassword(
      vault.raw, 0, nil, 0, nil, 2, latin, 0, nil, 0, 0, 0, nil, nil, nil)
    #expect(status == errVaultParam, "not UTF-8")
  }

  @Test("of several the first in the vault's order is found, whatever was written last")
  func order() throws {
    for account in ["berta", "anna", "clara"] {
      try Words(server: "example.com", account: account).added(account, to: vault).release()
    }
    #expect(Words(server: "example.com").find(in: vault).secret == "anna".array)
    #expect(Words().find(in: vault).secret == "anna".array)
  }

  @Test("each output may be left out, and the length alone is given, too")
  func outputs() throws {
    try Words.full.added("four", to: vault).release()
    func find(
      _ length: UnsafeMutablePointer<UInt32>?,
      _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Int32 {
      unsafe VaultFindInternetPassword(
        vault.raw, 0, nil, 0, nil, 0, nil, 0, nil, 0, 0, 0, length, data, nil)
    }
    var length: UInt32 = 77
    var data: UnsafeMutableRawPointer?
    // The places are this function's own.
    #expect(find(nil, nil) == errVaultSuccess)
    #expect(unsafe find(&length, nil) == errVaultSuccess)
    #expect(length == 4)
    #expect(unsafe find(nil, &data) == errVaultSuccess)
    // A NUL follows the four bytes.
    #expect(
      unsafe String(cString: try #require(data).assumingMemoryBound(to: CChar.self)) == "four")
    #expect(unsafe VaultItemFreeContent(nil, data) == errVaultSuccess)
  }

  @Test("what is not found leaves the outputs as they were")
  func untouched() throws {
    var length: UInt32 = 77
    let mark = unsafe UnsafeMutableRawPointer(bitPattern: 0x1234)
    var data = unsafe mark
    var item = unsafe VaultItemRef(bitPattern: 0x4321)
    // The places are this function's own.
    let status = unsafe VaultFindInternetPassword(
      vault.raw, 0, nil, 0, nil, 0, nil, 0, nil, 0, 0, 0, &length, &data, &item)
    #expect(status == errVaultItemNotFound)
    #expect(unsafe length == 77 && data == mark && item == VaultItemRef(bitPattern: 0x4321))
  }

  @Test("a secret has any bytes, and an empty one is no NULL", arguments: [[], [0], [0, 255, 0]])
  func secrets(_ bytes: [UInt8]) throws {
    let (status, item) = Words.full.add(bytes, to: vault)
    #expect(status == errVaultSuccess)
    #expect(Words.full.find(in: vault).secret == bytes)
    #expect(secret(of: item).secret == bytes)
    item.release()
  }

  @Test("an expired item is not found with its secret, but can be, to be changed, without it")
  func expired() throws {
    let item = try Words.full.added(to: vault)
    defer { item.release() }
    try fixture.vault.modify(fixture.items()[0], [.expires(Timestamp(milliseconds: 1))])
    #expect(Words.full.find(in: vault).status == errVaultItemNotFound)
    #expect(secret(of: item).status == errVaultDataNotAvailable)
    var found: VaultItemRef?
    // The place is this function's own.
    let status = unsafe VaultFindInternetPassword(
      vault.raw, 0, nil, 0, nil, 0, nil, 0, nil, 0, 0, 0, nil, nil, &found)
    #expect(status == errVaultSuccess)
    let reference = unsafe Reference(found)
    #expect(Attributes().modify(reference, secret: "new".array) == errVaultSuccess)
    reference.release()
    #expect(Words.full.find(in: vault).secret == "new".array)
    #expect(try fixture.items()[0].expires == nil)
  }

  @Test("what has expired by the vault's clock alone gives no empty secret out")
  func expiredByTheVaultsClock() throws {
    let folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    try Vault.create(path: folder.file("vault"), key: .keyFile(folder.file("key"))).close()
    let clock = TestClock()
    clock.pass(.seconds(2 * 86_400))
    let ahead = try Vault.open(
      path: folder.file("vault"), key: .keyFile(folder.file("key")), time: clock.source)
    let vault = try Fixture.open(folder.file("vault"))
    defer { vault.release() }
    let item = try Words.full.added(to: vault)
    defer { item.release() }
    let tomorrow = Timestamp(milliseconds: Timestamp.now().milliseconds + 86_400_000)
    try ahead.modify(ahead.findUnique(ItemQuery(), withSecrets: true), [.expires(tomorrow)])
    #expect(secret(of: item).status == errVaultDataNotAvailable)
    #expect(Words.full.find(in: vault).status == errVaultItemNotFound)
    // The reference was found before somebody else set an expiry that passed.
    #expect(Attributes().modify(item, secret: "new".array) == errVaultSuccess)
    #expect(Words.full.find(in: vault).secret == "new".array)
  }

  @Test("a locked vault is an error, and not one without items")
  func locked() throws {
    try Words.full.added(to: vault).release()
    #expect(unsafe VaultLock(vault.pointer) == errVaultSuccess)
    #expect(Words.full.find(in: vault).status == errVaultInteractionNotAllowed)
  }
}
