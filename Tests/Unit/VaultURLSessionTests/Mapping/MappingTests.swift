import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import Testing
import VaultModel

@testable import VaultURLSession

@Suite("Mapping Foundation's spaces and credentials")
struct MappingTests {
  /// Linux lacks the last two constants.
  @Test(
    "each method goes to Foundation's constant and back",
    arguments: [
      (.default, NSURLAuthenticationMethodDefault), (.basic, NSURLAuthenticationMethodHTTPBasic),
      (.digest, NSURLAuthenticationMethodHTTPDigest), (.form, NSURLAuthenticationMethodHTMLForm),
      (.ntlm, NSURLAuthenticationMethodNTLM), (.negotiate, NSURLAuthenticationMethodNegotiate),
      (.clientCertificate, "NSURLAuthenticationMethodClientCertificate"),
      (.serverTrust, "NSURLAuthenticationMethodServerTrust"),
    ] as [(AuthenticationMethod, String)])
  func methods(method: AuthenticationMethod, constant: String) throws {
    #expect(try AuthenticationMethod(constant) == method)
    let space = try ProtectionSpace(host: "h.example.com", authenticationMethod: method)
    #expect(URLProtectionSpace(space).authenticationMethod == constant)
    #expect(try ProtectionSpace(URLProtectionSpace(space)) == space)
  }

  @Test("each protocol's constant is read, and its scheme written")
  func protocols() throws {
    for (name, constant) in FoundationNames.protocols {
      let space = try ProtectionSpace(host: "h.example.com", protocol: name)
      #expect(
        try ProtectionSpace(
          foundationSpace("h.example.com", port: 0, realm: nil, protocol: constant, method: nil))
          == space)
      #expect(URLProtectionSpace(space).protocol == name.rawValue)
      #expect(!URLProtectionSpace(space).isProxy())
      #expect(try ProtectionSpace(URLProtectionSpace(space)) == space)
    }
  }

  @Test("each kind of proxy goes to Foundation's constant and back, and is no server")
  func proxies() throws {
    for (type, constant) in FoundationNames.proxyTypes {
      let space = try ProtectionSpace(
        proxyHost: "p.example.com", port: 3128, type: type, realm: "r")
      let object = URLProtectionSpace(space)
      #expect(object.proxyType == constant && object.isProxy() && object.protocol == nil)
      #expect(try ProtectionSpace(object) == space)
    }
  }

  @Test(
    "a space that Foundation has no word for goes there and back, too",
    arguments: [
      "", "basic", "bearer", "msn", "dpa", "rpa", "hoba", "client-certificate", "server-trust",
    ])
  func everything(method: String) throws {
    for name in ["https", "smtp", "rtsp-proxy", "socks", "gopher", ""] {
      for host in ["h.example.com", "192.0.2.1", "2001:db8::1", "xn--bcher-kva.example"] {
        for realm in ["", "Team \"Git\" ☃"] {
          let space = try ProtectionSpace(
            host: host, port: 8443, protocol: NetworkProtocol(name), realm: realm,
            authenticationMethod: AuthenticationMethod(method))
          #expect(try ProtectionSpace(URLProtectionSpace(space)) == space)
        }
      }
    }
  }

  @Test("ours says of security what Foundation says, and more where Foundation knows less")
  func security() throws {
    // Foundation on Linux looks at the scheme alone, and knows no secure proxy.
    let both = foundationSpace()
    #expect(both.receivesCredentialSecurely)
    #expect(try ProtectionSpace(both).receivesCredentialSecurely)
    let clear = foundationSpace(port: 80, protocol: "http")
    #expect(!clear.receivesCredentialSecurely)
    #expect(try !ProtectionSpace(clear).receivesCredentialSecurely)
    let proxy = URLProtectionSpace(
      proxyHost: "p", port: 443, type: NSURLProtectionSpaceHTTPSProxy, realm: nil,
      authenticationMethod: nil)
    let upper = foundationSpace(protocol: "HTTPS", method: nil)
    let digest = foundationSpace(
      port: 80, protocol: "http", method: NSURLAuthenticationMethodHTTPDigest)
    for space in [proxy, upper, digest] {
      #expect(!space.receivesCredentialSecurely)
      #expect(try ProtectionSpace(space).receivesCredentialSecurely)
    }
  }

  @Test("what can be no space is an error")
  func impossible() throws {
    let spaces = [
      foundationSpace("two words"), foundationSpace(""), foundationSpace(port: -1),
      foundationSpace(port: 70000), foundationSpace(protocol: "ht tp"),
      foundationSpace(method: "a b"),
      URLProtectionSpace(
        proxyHost: "p", port: 1, type: "teapot", realm: nil, authenticationMethod: nil),
    ]
    for space in spaces {
      #expect(throws: VaultError(.invalidArgument, "")) { try ProtectionSpace(space) }
    }
    #expect(throws: VaultError(.tooLarge, "")) {
      try ProtectionSpace(foundationSpace(realm: String(repeating: "r", count: 5000)))
    }
  }

  @Test("persistence goes there and back, and what is to be synchronized is permanent")
  func persistence() throws {
    for persistence in Persistence.allCases {
      #expect(Persistence(URLCredential.Persistence(persistence)) == persistence)
    }
    let synchronizable = try #require(URLCredential.Persistence(rawValue: 3))
    #expect(Persistence(synchronizable) == .permanent)
    #expect(
      synchronizable.isSynchronizable && !URLCredential.Persistence.permanent.isSynchronizable)
  }

  @Test("a credential is its user, password and persistence; one of a vault what it is there")
  func credentials() throws {
    let credential = try Credential(foundationCredential("ann", "one", .forSession))
    #expect(credential.user == "ann" && credential.persistence == .session)
    #expect(credential.secret.isEqual(to: Secret("one")))
    let vault = Vault.inMemory()
    let own = Credential(
      user: "ann", secret: Secret("two"), persistence: .session, accountDomain: "CORP")
    try vault.set(own, for: gitSpace())
    let found = try #require(
      VaultCredentialStorage(vault).credentials(for: foundationSpace())?["ann"])
    #expect(try Credential(found).accountDomain == "CORP")
    #expect(try Credential(found).secret.isEqual(to: Secret("two")))
  }
}
