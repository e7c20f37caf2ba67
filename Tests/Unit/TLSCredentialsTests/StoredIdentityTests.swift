import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import TLSCredentials

@Suite("identities in a vault")
struct StoredIdentityTests {
  let own: IdentityVault

  init() throws { own = try IdentityVault() }

  private func isSame(_ opened: Identity, _ given: Identity) -> Bool {
    opened.certificate == given.certificate && opened.chain == given.chain
      && opened.key.pkcs8.isEqual(to: given.key.pkcs8)
  }

  @Test("one comes back whole, byte for byte", arguments: Issuance.kinds)
  func whole(kind: String) throws {
    let given = try own.identity(kind)
    let space = try ProtectionSpace(url: "https://api.example.com:8443")
    let stored = try own.identities.add(given, for: space).identity
    #expect(stored.item.account == given.label && stored.item.label == given.label)
    #expect(stored.item.authenticationMethod == .clientCertificate && stored.item.port == 8443)
    #expect(stored.item.expires == given.notAfter)
    #expect(stored.summary == IdentitySummary(given))
    let found = try #require(try own.identities.findAll(for: space).first)
    #expect(found.item.secret == nil && found.summary == stored.summary)
    #expect(try isSame(own.identities.open(found), given))
    #expect(try own.identities.item(stored.id).certificate == given.certificate)
  }

  @Test(
    "one without a label has the subject's common name, and one without a server is stored, too")
  func names() throws {
    let given = try own.identity("rsa")
    let plain = try Identity(certificate: given.certificate, key: given.key)
    let stored = try own.identities.add(plain).identity
    #expect(stored.item.account == "ann rsa" && stored.item.server.isUnset)
    #expect(stored.chain.isEmpty && stored.item.label == "ann rsa")
    #expect(throws: VaultError(.duplicateItem, "")) { try own.identities.add(plain) }
  }

  @Test("it is found without a realm if it was stored with one, and by its own realm only")
  func realms() throws {
    try own.add("rsa", realm: "mobileApp")
    try own.add("p256")
    func names(_ realm: String) throws -> [String] {
      let space = try ProtectionSpace(
        host: "api.example.com", realm: realm, authenticationMethod: .serverTrust)
      return try own.identities.findAll(for: space).map(\.item.account).sorted()
    }
    #expect(try names("") == ["p256", "rsa"])
    #expect(try names("mobileApp") == ["rsa"] && names("mobileapp") == [])
    #expect(
      try own.choice(for: "https://api.example.com/", .init(signatureSchemes: [0x0804])) == "rsa")
  }

  @Test("an item that is no identity is left out of lists, and says why when it is asked for")
  func foreign() throws {
    let stored = try own.add("rsa")
    let others: [(String, SecretKind, [UInt8], VaultError.Code)] = [
      ("password", .password, stored.certificate.der, .missingCertificate),
      ("bare", .identity, [], .missingCertificate),
      ("cut", .identity, Array(stored.certificate.der.dropLast()), .invalidData),
      ("noise", .identity, [0x30, 3, 1, 2, 3], .invalidData),
    ]
    for (name, kind, certificates, code) in others {
      var item = stored.item
      item.account = name
      item.secretKind = kind
      item.certificates = certificates
      item.secret = Secret("key")
      let id = try own.vault.add(item).item.id
      #expect(throws: VaultError(code, "")) { try own.identities.item(id) }
    }
    #expect(try own.identities.findAll().map(\.item.account) == ["rsa"])
    // A key that belongs to another certificate is never handed out.
    let other = try own.identity("p256")
    try own.vault.modify(stored.item, [.secret(other.key.pkcs8)])
    #expect(throws: VaultError(.invalidData, "")) { try own.identities.open(stored) }
  }

  @Test("a replaced one keeps its item, and returns whole from its history")
  func replacing() throws {
    let stored = try own.add("rsa")
    let space = try ProtectionSpace(
      url: "https://api.example.com", authenticationMethod: .clientCertificate)
    try own.vault.setDefaultUser("rsa", for: space)
    try own.add("ed25519")
    let new = try own.identity("p256")
    let replaced = try own.identities.replace(stored, with: new).identity
    #expect(replaced.id == stored.id && replaced.item.account == "rsa")
    #expect(replaced.item.expires == new.notAfter)
    // What was found before the change is opened as it is now.
    #expect(try isSame(own.identities.open(stored), new))
    #expect(try own.choice() == "rsa")

    try own.vault.history.revert(replaced.item)
    let back = try own.identities.item(stored.id)
    #expect(try isSame(own.identities.open(back), own.identity("rsa")))
    #expect(back.item.expires == stored.item.expires)
    let previous = try #require(try own.vault.history.entries(of: back.item).first)
    #expect(previous.kind == .identity)
  }

  @Test("a certificate is renewed without its key, and only one for that key")
  func renewing() throws {
    let stored = try own.add("p256")
    let new = try own.issuance.certificate("renewed")
    let chain = [try own.issuance.certificate("middle")]
    let renewed = try own.identities.renew(stored, certificate: new, chain: chain).identity
    #expect(renewed.certificate == new && renewed.chain == chain && renewed.id == stored.id)
    #expect(renewed.item.expires == new.notAfter && new.notAfter > stored.certificate.notAfter)
    #expect(try own.identities.open(stored).certificate == new)
    #expect(try own.vault.history.entries(of: renewed.item).isEmpty)
    #expect(throws: VaultError(.invalidArgument, "")) {
      try own.identities.renew(renewed, certificate: own.issuance.certificate("rsa"))
    }
    #expect(throws: VaultError(.conflict, "")) {
      try own.identities.renew(stored, certificate: new)
    }
  }

  @Test("it expires with the first certificate of its chain, and is then neither opened nor chosen")
  func expiry() throws {
    let stored = try own.add("rsa")
    own.clock.set(by: .seconds(301 * 86_400))
    let found = try #require(try own.identities.findAll().first)
    #expect(found.item.isExpired(at: own.clock.now) && found.id == stored.id)
    #expect(throws: VaultError(.expired, "")) { try own.identities.open(found) }
    let error = #expect(throws: VaultError.self) { try own.choice() }
    #expect(error?.code == .expired && error?.candidates.map(\.id) == [stored.id])
  }

  @Test("persistence and policy hold: nothing, the session, or the file as a rule allows")
  func persistence() throws {
    let none = try own.identities.add(own.identity("rsa"), persistence: .none)
    #expect(none.identity.item.persistence == .none)
    #expect(try own.identities.findAll().isEmpty)
    var rule = PersistencePolicy.Rule(name: "keys stay in memory")
    rule.authenticationMethod = .clientCertificate
    rule.maximumPersistence = .session
    try own.vault.policy.update { rules in rules = [rule] }
    let space = try ProtectionSpace(url: "https://api.example.com")
    let stored = try own.identities.add(own.identity("p256"), for: space)
    #expect(stored.identity.item.persistence == .session)
    #expect(stored.decision.rule?.name == rule.name)
    #expect(try isSame(own.identities.open(stored.identity), own.identity("p256")))
    try own.vault.close()
    let again = try Vault.open(
      path: own.folder.file("vault/own.vault"), key: .keyFile(own.folder.file("key")))
    #expect(try again.identities.findAll().isEmpty)
  }

  @Test("no question for a password is answered by one, whatever method its item has")
  func passwords() throws {
    var item = try own.add("rsa").item
    for method in [AuthenticationMethod.default, .basic, .bearer, .form] {
      item.authenticationMethod = method
      item.secret = Secret("key")
      try own.vault.add(item)
    }
    for method in [AuthenticationMethod.default, .basic, .digest, .bearer, .form, .serverTrust] {
      let space = try ProtectionSpace(url: "https://api.example.com", authenticationMethod: method)
      #expect(try own.vault.credentials(for: space).isEmpty)
      #expect(try own.vault.users(for: space).isEmpty)
      #expect(try own.vault.defaultCredential(for: space) == nil)
    }
    let space = try ProtectionSpace(
      url: "https://api.example.com", authenticationMethod: .clientCertificate)
    #expect(try own.vault.users(for: space) == ["rsa"])
  }

  @Test("removed, it returns from the trash with its certificates")
  func removing() throws {
    let stored = try own.add("rsa")
    try own.identities.remove(stored)
    #expect(throws: VaultError(.itemNotFound, "")) { try own.identities.open(stored) }
    let removed = try #require(try own.vault.trash.items().first)
    try own.vault.trash.restore(removed)
    #expect(try isSame(own.identities.open(stored), own.identity("rsa")))
  }

  @Test("an identity is added, preferred, chosen, replaced, renewed and removed")
  func everyVerb() throws {
    let identities = own.identities
    let space = try ProtectionSpace(url: "https://api.example.com")
    let stored = try identities.add(own.identity("rsa"), for: space, name: "a").identity
    #expect(try identities.findAll(for: space).map(\.id) == [stored.id])
    #expect(try identities.item(stored.id).id == stored.id)
    try identities.setPreferred(stored, for: "https://other.example.com/")
    #expect(try identities.preferred(for: "https://other.example.com/").id == stored.id)
    #expect(try identities.preferences().count == 1)
    #expect(try identities.choose(for: "https://api.example.com").id == stored.id)
    let new = try own.identity("p256")
    let replaced = try identities.replace(stored, with: new).identity
    let renewed = try identities.renew(
      replaced, certificate: own.issuance.certificate("renewed")
    ).identity
    #expect(try identities.open(renewed).key.pkcs8.isEqual(to: new.key.pkcs8))
    try identities.remove(renewed, removal: .permanent)
    #expect(try identities.findAll().isEmpty)
  }
}
