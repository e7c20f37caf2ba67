import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import TLSCredentials

@Suite("the choice of a vault's identity for a URL")
struct PreferenceTests {
  let own: IdentityVault

  init() throws { own = try IdentityVault() }

  private func prefer(_ identity: StoredIdentity?, for name: String) throws {
    try own.identities.setPreferred(identity, for: name, suffixes: ChoosingTests.list)
  }

  @Test("the only one that the server accepts is chosen; several are ambiguous, with their names")
  func only() throws {
    #expect(throws: VaultError(.itemNotFound, "")) { try own.choice() }
    try own.add("rsa")
    #expect(try own.choice() == "rsa")
    try own.add("p256")
    try own.add("ed25519", for: "https://other.example.com")
    let error = #expect(throws: VaultError.self) { try own.choice() }
    #expect(error?.code == .ambiguous)
    #expect(Set(error?.candidates.map(\.account) ?? []) == ["rsa", "p256"])
    #expect(try own.choice(for: "https://other.example.com") == "ed25519")
    #expect(throws: VaultError(.itemNotFound, "")) {
      try own.choice(for: "https://api.example.com:8443/")
    }
    let foreign = try IdentityRequest(acceptableIssuers: [own.identity("rsa").certificate.subject])
    #expect(throws: VaultError(.itemNotFound, "")) {
      try own.choice(for: "https://api.example.com/", foreign)
    }
    // Twice the same certificate is not a question of whom to be.
    try own.identities.add(
      own.identity("ed25519"), for: ProtectionSpace(url: "https://other.example.com"), name: "z")
    #expect(try own.choice(for: "https://other.example.com") == "ed25519")
  }

  @Test("the default of the space is chosen, also that of a realm, unless the server refuses it")
  func defaults() throws {
    try own.add("rsa")
    try own.add("p256", realm: "mobileApp")
    func setDefault(_ user: String?, _ realm: String) throws {
      try own.vault.setDefaultUser(
        user,
        for: ProtectionSpace(
          host: "api.example.com", realm: realm, authenticationMethod: .clientCertificate))
    }
    try setDefault("p256", "mobileApp")
    #expect(try own.choice() == "p256")
    try setDefault("rsa", "")
    #expect(try own.choice() == "rsa")
    let request = IdentityRequest(signatureSchemes: [0x0403])
    #expect(try own.choice(for: "https://api.example.com", request) == "p256")
    try setDefault(nil, "")
    try setDefault(nil, "mobileApp")
    #expect(throws: VaultError(.ambiguous, "")) { try own.choice() }
  }

  @Test("a preference is for a URL, for all below a path, or for all hosts of a domain")
  func preferences() throws {
    let rsa = try own.add("rsa", for: nil)
    let p256 = try own.add("p256", for: "https://elsewhere.example.org", realm: "r")
    let ed25519 = try own.add("ed25519", for: nil)
    try prefer(rsa, for: "*.Example.com")
    try prefer(p256, for: "https://api.example.com/team/")
    try prefer(ed25519, for: "https://api.example.com/team/a?query")
    let choices = [
      ("https://api.example.com/", "rsa"), ("https://b.api.example.com:1/", "rsa"),
      ("https://api.example.com/team/", "p256"), ("https://api.example.com/team/b/c", "p256"),
      ("https://api.example.com/team/a?q", "ed25519"),
      ("https://api.example.com/team/a/b", "p256"),
    ]
    for (url, name) in choices { #expect(try own.choice(for: url) == name, "\(url)") }
    for url in ["https://example.com/", "https://api.example.org/"] {
      #expect(throws: VaultError(.itemNotFound, "")) { try own.choice(for: url) }
    }
    #expect(
      try own.identities.preferences() == [
        IdentityPreference(name: "*.example.com", identity: rsa.id),
        IdentityPreference(name: "https://api.example.com/team/", identity: p256.id),
        IdentityPreference(name: "https://api.example.com/team/a", identity: ed25519.id),
      ])
    try prefer(nil, for: "https://api.example.com/team/")
    #expect(try own.choice(for: "https://api.example.com/team/b") == "rsa")
    #expect(try own.vault.trash.items().isEmpty)
    #expect(try own.identities.findAll().count == 3)
  }

  @Test("a later preference takes the place of an earlier one, and one that leads nowhere is none")
  func changes() throws {
    let rsa = try own.add("rsa")
    let p256 = try own.add("p256")
    try prefer(rsa, for: "https://api.example.com/")
    try prefer(p256, for: "https://API.example.com:443")
    #expect(try own.choice() == "p256" && own.identities.preferences().count == 1)
    // The item may be renamed, replaced and moved to another server.
    try own.vault.modify(p256.item, [.account("renamed"), .server(HostName("new.example.com"))])
    #expect(try own.choice() == "renamed")
    try own.identities.remove(own.identities.item(p256.id))
    #expect(try own.choice() == "rsa")
    #expect(throws: VaultError(.itemNotFound, "")) {
      try own.identities.preferred(for: "https://api.example.com/")
    }
    try prefer(nil, for: "https://nowhere.example.com/")
  }

  @Test("a default comes before a preference, and one that has expired is an error")
  func order() throws {
    let rsa = try own.add("rsa")
    let p256 = try own.add("p256")
    let long = try own.identities.renew(
      p256, certificate: own.issuance.certificate("renewed")
    ).identity
    try prefer(rsa, for: "https://api.example.com/")
    #expect(try own.choice() == "rsa")
    try own.vault.setDefaultUser(
      "p256",
      for: ProtectionSpace(host: "api.example.com", authenticationMethod: .clientCertificate))
    #expect(try own.choice() == "p256")
    try own.vault.setDefaultUser(
      nil, for: ProtectionSpace(host: "api.example.com", authenticationMethod: .clientCertificate))
    own.clock.set(by: .seconds(400 * 86_400))
    let error = #expect(throws: VaultError.self) { try own.choice() }
    #expect(error?.code == .expired && error?.candidates.map(\.id) == [rsa.id])
    try prefer(nil, for: "https://api.example.com/")
    #expect(try own.choice() == "p256" && long.id == p256.id)
  }

  @Test("the session's preference is used before the file's, until a permanent one is set")
  func persistence() throws {
    let rsa = try own.add("rsa", for: nil)
    let p256 = try own.add("p256", for: nil, persistence: .session)
    try prefer(rsa, for: "*.example.com")
    try prefer(p256, for: "*.example.com")
    #expect(try own.choice() == "p256")
    try prefer(rsa, for: "*.example.com")
    #expect(try own.choice() == "rsa")
  }

  @Test("a name that is no URL leads only by itself, and a public suffix has no preference")
  func names() throws {
    let rsa = try own.add("rsa", for: nil)
    try prefer(rsa, for: "ann@example.com")
    #expect(try own.identities.preferred(for: "ann@example.com").id == rsa.id)
    for name in ["*.com", "*.co.uk", "*.192.0.2.1", "", "https:///", "*."] {
      #expect(throws: VaultError(.invalidArgument, ""), "\(name)") { try prefer(rsa, for: name) }
    }
  }
}
