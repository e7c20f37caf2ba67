import Testing

@testable import VaultModel

@Suite("ProtectionSpace")
struct ProtectionSpaceTests {
  @Test("different spellings of one space are equal and hash alike")
  func spellings() throws {
    let space = try ProtectionSpace(host: "git.example.com", realm: "Team")
    for other in try [
      ProtectionSpace(host: "GIT.Example.COM.", port: 443, realm: "Team"),
      ProtectionSpace(
        host: "git.example.com", port: 0, protocol: NetworkProtocol("htps"),
        realm: "Team"),
      ProtectionSpace(url: "HTTPS://alice:x@git.example.com:443/path?q#f", realm: "Team"),
      ProtectionSpace(
        host: "git%2eexample.com", protocol: NetworkProtocol("NSURLProtectionSpaceHTTPS"),
        realm: "Team", authenticationMethod: AuthenticationMethod("dflt")),
    ] {
      #expect(other == space)
      #expect(other.hashValue == space.hashValue)
    }
  }

  @Test("a space that differs in any part is another one")
  func parts() throws {
    let spaces = try [
      ProtectionSpace(host: "example.com"),
      ProtectionSpace(host: "example.org"),
      ProtectionSpace(host: "www.example.com"),
      ProtectionSpace(host: "example.com", port: 8443),
      ProtectionSpace(host: "example.com", protocol: .http),
      ProtectionSpace(host: "example.com", port: 443, protocol: .http),
      ProtectionSpace(host: "example.com", realm: "a"),
      ProtectionSpace(host: "example.com", realm: "A"),
      ProtectionSpace(host: "example.com", realm: " "),
      ProtectionSpace(host: "example.com", realm: "caf\u{E9}"),
      ProtectionSpace(host: "example.com", realm: "cafe\u{301}"),
      ProtectionSpace(host: "example.com", authenticationMethod: .basic),
      ProtectionSpace(host: "example.com", authenticationMethod: .unset),
      ProtectionSpace(proxyHost: "example.com", port: 443, type: .https),
      ProtectionSpace(proxyHost: "example.com", port: 443, type: .http),
      ProtectionSpace(proxyHost: "example.com", port: 443, type: .socks),
    ]
    #expect(Set(spaces).count == spaces.count)
    for (index, space) in spaces.enumerated() {
      for other in spaces[(index + 1)...] { #expect(space != other) }
    }
  }

  @Test("an absent port is the protocol's default, or 0 where there is none")
  func ports() throws {
    #expect(try ProtectionSpace(host: "a").port == 443)
    #expect(try ProtectionSpace(host: "a", protocol: .http).port == 80)
    #expect(try ProtectionSpace(host: "a", port: 8080, protocol: .http).port == 8080)
    #expect(try ProtectionSpace(host: "a", port: 65535).port == 65535)
    #expect(try ProtectionSpace(host: "a", protocol: NetworkProtocol("x")).port == 0)
    #expect(try ProtectionSpace(proxyHost: "a", type: .socks).port == 1080)
    #expect(try ProtectionSpace(proxyHost: "a", type: .http).port == 0)
    #expect(try ProtectionSpace(url: "ssh://a").port == 22)
    #expect(try ProtectionSpace(url: "ssh://a:2222").port == 2222)
  }

  @Test("a port out of range is an invalid argument", arguments: [-1, 65536, .min, .max])
  func badPort(port: Int) {
    #expect(throws: VaultError(.invalidArgument, "")) {
      try ProtectionSpace(host: "a", port: port)
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try ProtectionSpace(proxyHost: "a", port: port, type: .http)
    }
  }

  @Test("a space needs a host and a realm that can be stored")
  func refused() {
    #expect(throws: VaultError(.invalidArgument, "")) { try ProtectionSpace(host: "") }
    #expect(throws: VaultError(.invalidArgument, "")) { try ProtectionSpace(host: "a b") }
    #expect(throws: VaultError(.invalidArgument, "")) { try ProtectionSpace(host: "a:443") }
    #expect(throws: VaultError(.invalidArgument, "")) { try ProtectionSpace(url: "cert:///x") }
    #expect(throws: VaultError(.invalidArgument, "")) { try ProtectionSpace(url: "example.com") }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try ProtectionSpace(host: "a", realm: "x\0y")
    }
    #expect(throws: VaultError(.tooLarge, "")) {
      try ProtectionSpace(host: "a", realm: String(repeating: "x", count: 4097))
    }
    #expect(throws: Never.self) {
      try ProtectionSpace(host: "a", realm: String(repeating: "x", count: 4096))
    }
  }

  @Test(
    "a proxy's type is its kind or the protocol that it relays",
    arguments: [
      (NetworkProtocol.http, NetworkProtocol.httpProxy), (.https, .httpsProxy),
      (.ftp, .ftpProxy), (.rtsp, .rtspProxy), (.socks, .socks), (.httpProxy, .httpProxy),
      (.httpsProxy, .httpsProxy), (.ftpProxy, .ftpProxy), (.rtspProxy, .rtspProxy),
    ])
  func proxies(type: NetworkProtocol, kind: NetworkProtocol) throws {
    let space = try ProtectionSpace(proxyHost: "proxy", port: 3128, type: type)
    #expect(space.protocol == kind)
    #expect(space.isProxy)
    #expect(try space == ProtectionSpace(host: "proxy", port: 3128, protocol: kind))
  }

  @Test("there is no proxy for other protocols", arguments: [NetworkProtocol.ssh, .imap, .unset])
  func noProxy(type: NetworkProtocol) throws {
    #expect(throws: VaultError(.invalidArgument, "")) {
      try ProtectionSpace(proxyHost: "proxy", type: type)
    }
    #expect(try !ProtectionSpace(host: "server", protocol: type).isProxy)
  }

  static let methods: [(AuthenticationMethod, isSecureInClear: Bool)] = [
    (.unset, false), (.default, false), (.basic, false), (.form, false), (.bearer, false),
    (.msn, false), (.dpa, false), (.rpa, false), (AuthenticationMethod(rawValue: "x"), false),
    (.digest, true), (.ntlm, true), (.negotiate, true), (.clientCertificate, true),
    (.serverTrust, true),
  ]

  @Test("over a clear protocol only some methods are secure", arguments: methods)
  func clear(method: AuthenticationMethod, isSecureInClear: Bool) throws {
    for proto in [
      NetworkProtocol.http, .ftp, .smtp, .imap, .ldap, .git, .unset, .httpProxy, .ftpProxy,
      .socks, NetworkProtocol(rawValue: "x"),
    ] {
      let space = try ProtectionSpace(
        host: "localhost", protocol: proto, authenticationMethod: method)
      #expect(space.receivesCredentialSecurely == isSecureInClear, "\(proto)")
    }
  }

  @Test("over an encrypted protocol every method is secure", arguments: methods)
  func encrypted(method: AuthenticationMethod, isSecureInClear: Bool) throws {
    for name in ["https", "HTTPS", "NSURLProtectionSpaceHTTPS", "ftps", "imaps", "ssh", "sftp"] {
      let space = try ProtectionSpace(
        host: "a", protocol: NetworkProtocol(name), authenticationMethod: method)
      #expect(space.receivesCredentialSecurely)
    }
    let proxy = try ProtectionSpace(proxyHost: "a", type: .https, authenticationMethod: method)
    #expect(proxy.receivesCredentialSecurely)
  }

  @Test("the description shows what differs from the defaults and escapes the realm")
  func description() throws {
    #expect(try ProtectionSpace(host: "a").description == "https://a")
    #expect(
      try ProtectionSpace(
        host: "git.example.com", port: 8443, realm: "Team Git", authenticationMethod: .basic
      ).description == "https://git.example.com:8443 \"Team Git\" basic")
    #expect(try ProtectionSpace(url: "http://[::1]:8080").description == "http://[::1]:8080")
    #expect(
      try ProtectionSpace(url: "http://[fe80::1%25e0]").description == "http://[fe80::1%25e0]")
    #expect(
      try ProtectionSpace(proxyHost: "p", port: 3128, type: .http).description
        == "http-proxy://p:3128")
    #expect(try ProtectionSpace(host: "a", protocol: .unset).description == "//a")
    #expect(
      try ProtectionSpace(host: "a", realm: "q\"\\\u{1B}[2J\u{202E}\r\n\u{2028}é").description
        == #"https://a "q\"\\\u{1b}[2J\u{202e}\u{d}\u{a}\u{2028}é""#)
  }
}
