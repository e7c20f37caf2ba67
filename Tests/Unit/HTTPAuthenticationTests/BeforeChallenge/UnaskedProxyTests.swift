import CredentialVault
import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

/// Credentials sent preemptively to a proxy, or to a server through one.
@Suite struct UnaskedProxyTests {
  private static let clear = ("proxy", false)
  private static let encrypted = ("proxy", true)
  private static let local = ("127.0.0.1", false)

  /// Returns the names of the fields that a request begins with.
  private func names(
    _ url: String, through proxy: (host: String, isEncrypted: Bool),
    _ credential: Credential? = nil
  ) throws -> [String] {
    var request = try RequestHead.get(
      url, through: Proxy(host: proxy.host, port: 3128, overTLS: proxy.isEncrypted))
    request.proxyCredential = credential
    return try Authenticator(vault: .inMemory(), settings: .init(beforeChallenge: .always))
      .exchange(for: request).fields.map(\.name)
  }

  @Test(
    "a proxy's password goes unasked over TLS or to this machine, never in clear over a network",
    arguments: ["http://h/x", "https://h/x"])
  func proxyCredential(_ url: String) throws {
    let pat = Credential.of("pat", "passing")
    #expect(try names(url, through: Self.clear, pat) == [])
    #expect(try names(url, through: Self.encrypted, pat) == ["Proxy-Authorization"])
    #expect(try names(url, through: Self.local, pat) == ["Proxy-Authorization"])
  }

  @Test("a proxy that tunnels does not read what the server is sent: it is sent unasked")
  func tunnelled() throws {
    let url = "https://ann:right@h/x"
    for proxy in [Self.clear, Self.encrypted, Self.local] {
      #expect(try names(url, through: proxy) == ["Authorization"])
    }
    let pat = Credential.of("pat", "passing")
    #expect(try names(url, through: Self.clear, pat) == ["Authorization"])
  }

  @Test("without a tunnel the way to the proxy and the way from there both have to be safe")
  func relayed() throws {
    for proxy in [Self.clear, Self.encrypted, Self.local] {
      #expect(try names("http://ann:right@h/x", through: proxy) == [])
    }
    #expect(try names("http://ann:right@127.0.0.1/x", through: Self.clear) == [])
    #expect(try names("http://ann:right@127.0.0.1/x", through: Self.local) == ["Authorization"])
  }

  @Test("a proxy's stored password goes unasked where it is safe, and the server's never to it")
  func stored() throws {
    let fixture = try Fixture()
    try fixture.store()
    for (type, user) in [(NetworkProtocol.httpsProxy, "pat"), (.httpProxy, "eve")] {
      try fixture.vault.set(
        Credential(user: user, secret: Secret("passing"), persistence: .permanent),
        for: ProtectionSpace(
          proxyHost: "proxy", port: 3128, type: type, realm: "Team",
          authenticationMethod: .basic))
    }
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .always))
    func fields(_ isEncrypted: Bool) throws -> [AuthorizationField] {
      try authenticator.exchange(
        for: .get(
          "https://h/x", through: Proxy(host: "proxy", port: 3128, overTLS: isEncrypted))
      ).fields
    }
    #expect(try fields(false).map(\.name) == ["Authorization"])
    let both = try fields(true)
    #expect(both.map(\.name) == ["Authorization", "Proxy-Authorization"])
    let values = try [Credential.of("ann"), .of("pat", "passing")].map(BasicResponse.value)
    #expect(zip(both, values).allSatisfy { $0.value.isEqual(to: $1) })
  }
}
