import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import TLSCredentials

@Suite("the choice of identities")
struct ChoosingTests {
  let issuance: Issuance

  init() throws { issuance = try Issuance.shared }

  func summary(_ kind: String) throws -> IdentitySummary {
    IdentitySummary(
      try IdentityFile(issuance.secret(kind + ".p12"), passphrase: Secret("secret"))
        .identities[0])
  }

  @Test("an authority of any member of the chain suffices, and one that is spelt otherwise")
  func issuers() throws {
    let identity = try summary("p256")
    let (middle, root) = (identity.issuers[0], identity.issuers[1])
    let time = identity.notBefore
    #expect(IdentityRequest().obstacles(to: identity, at: time) == [])
    for issuers in [[middle], [root], [try summary("p384").subject, root]] {
      let request = IdentityRequest(acceptableIssuers: issuers)
      #expect(request.obstacles(to: identity, at: time) == [])
    }
    let foreign = IdentityRequest(acceptableIssuers: [identity.subject])
    #expect(foreign.obstacles(to: identity, at: time) == [.issuer])
  }

  @Test(
    "the key has to make a signature that the server takes",
    arguments: [
      ("rsa", [0x0804], true), ("rsa", [0x0401], true), ("rsa", [0x0403, 0x0807], false),
      ("p256", [0x0403], true), ("p256", [0x0804, 0x0807], false), ("ed25519", [0x0807], true),
      ("ed25519", [0x0403, 0x0808], false), ("ed448", [0x0808], true), ("pss", [0x0809], true),
      ("pss", [0x0804], false),
    ] as [(String, [UInt16], Bool)])
  func signatures(kind: String, schemes: [UInt16], isAccepted: Bool) throws {
    let identity = try summary(kind)
    let request = IdentityRequest(signatureSchemes: schemes)
    #expect(
      request.obstacles(to: identity, at: identity.notBefore)
        == (isAccepted ? [] : [.signature]))
  }

  @Test("usages, purposes and times")
  func others() throws {
    let root = try Identity(
      certificate: issuance.certificate("root"),
      key: IdentityFile([issuance.secret("root.key"), issuance.secret("root.pem")])
        .identities[0].key)
    let authority = IdentitySummary(root)
    let request = IdentityRequest()
    #expect(request.obstacles(to: authority, at: authority.notAfter) == [.keyUsage])
    let leaf = try summary("p256")
    let second: Int64 = 1000
    #expect(
      request.obstacles(to: leaf, at: leaf.notAfter.adding(milliseconds: second)) == [.expired])
    #expect(
      request.obstacles(to: leaf, at: leaf.notBefore.adding(milliseconds: -second))
        == [.notYetValid])
    #expect(request.obstacles(to: leaf, at: leaf.notAfter) == [])
  }

  @Test("one that fits is chosen; several are ambiguous; expired ones are told")
  func choice() throws {
    let own = try IdentityVault()
    let all = try ["p256", "rsa", "ed25519"].map { try own.add($0) }
    let time = all[0].notBefore.adding(.seconds(60))
    let any = IdentityRequest()
    let edwards = IdentityRequest(signatureSchemes: [0x0807])
    #expect(try edwards.choose(among: all, at: time).id == all[2].id)
    let error = #expect(throws: VaultError(.ambiguous, "")) { try any.choose(among: all, at: time) }
    #expect(error?.candidates.map(\.id) == all.map(\.id))
    let late = all[0].notAfter.adding(.seconds(86_400))
    #expect(throws: VaultError(.expired, "")) { try any.choose(among: all, at: late) }
    #expect(throws: VaultError(.itemNotFound, "")) {
      try IdentityRequest(signatureSchemes: [0x0808]).choose(among: all, at: late)
    }
    #expect(throws: VaultError(.itemNotFound, "")) { try any.choose(among: [], at: time) }
  }

  static let list = PublicSuffixes(
    text: """
      // comment
      com
      uk
      co.uk
      *.ck
      !www.ck

      公司.cn
      Example.ORG  what follows is no part of it
      """)

  @Test(
    "the rules of the list",
    arguments: [
      ("com", true), ("example.com", false), ("co.uk", true), ("example.co.uk", false),
      ("unknown", true), ("ck", true), ("any.ck", true), ("www.ck", false), ("a.any.ck", false),
      ("公司.cn", true), ("a.公司.cn", false), ("example.org", true), ("192.0.2.1", false),
    ])
  func suffixes(name: String, isSuffix: Bool) throws {
    #expect(Self.list.contains(try HostName(name)) == isSuffix)
  }

  @Test("a preference is looked up for the URL, the paths above it, and wildcards below a suffix")
  func preferences() throws {
    func names(_ url: String) throws -> [String] {
      try IdentityPreference.names(for: url, suffixes: Self.list)
    }
    #expect(
      try names("https://a.h.example.co.uk:8443/a/b?q#f") == [
        "https://a.h.example.co.uk:8443/a/b", "https://a.h.example.co.uk:8443/a/",
        "https://a.h.example.co.uk:8443/", "*.h.example.co.uk", "*.example.co.uk",
      ])
    #expect(
      try names("HTTPS://H.example.com:443") == ["https://h.example.com/", "*.example.com"])
    #expect(
      try names("https://example.com/a/") == ["https://example.com/a/", "https://example.com/"])
    #expect(try names("https://www.ck/") == ["https://www.ck/"])
    #expect(try names("https://[2001:db8::1]/") == ["https://[2001:db8::1]/"])
    #expect(try names("https://localhost/a") == ["https://localhost/a", "https://localhost/"])
    for path in ["a/../b", "a//b", "a/%2e%2e/b", "./a", "a\\b".replacing("\\", with: "%5C")] {
      #expect(try names("https://example.com/\(path)") == ["https://example.com/"])
    }
    for url in ["example.com", "https://", "https://a b/"] {
      #expect(throws: VaultError(.invalidArgument, "")) { try names(url) }
    }
  }

  @Test("Debian's list, where it is installed, has the suffixes that everybody knows")
  func system() throws {
    #expect(PublicSuffixes.system.contains(try HostName("com")))
    #expect(!PublicSuffixes.system.contains(try HostName("debian.org")))
    guard (try? TemporaryFolder().bytes("/usr/share/publicsuffix/public_suffix_list.dat")) != nil
    else { return }
    for name in ["co.uk", "github.io", "any.ck"] {
      #expect(PublicSuffixes.system.contains(try HostName(name)))
    }
    #expect(
      try IdentityPreference.names(for: "https://a.example.co.uk/")
        == ["https://a.example.co.uk/", "*.example.co.uk"])
  }
}
