import TestSupport
import Testing

@testable import VaultModel

@Suite("URLReference")
struct URLReferenceTests {
  struct Row: Sendable {
    let url: String
    var proto = "https"
    var user: String?
    var hasPassword = false
    var host = "example.com"
    var port: UInt16?
    var path = ""
  }

  static let rows = [
    Row(url: "https://example.com"),
    Row(url: "HTTPS://EXAMPLE.COM/"),
    Row(url: "https://example.com///"),
    Row(url: "https://example.com."),
    Row(url: "https://example.com:"),
    Row(url: "https://example.com:443", port: 443),
    Row(url: "https://example.com:00443/", port: 443),
    Row(url: "https://example.com:65535", port: 65535),
    Row(url: "https://example.com:1/a/b/", port: 1, path: "a/b"),
    Row(url: "https://example.com//a//b//", path: "a//b"),
    Row(url: "https://example.com/a%20b%2Fc%C3%BC", path: "a b/cü"),
    Row(url: "https://example.com/%2561", path: "%61"),
    Row(url: "https://example.com/ü", path: "ü"),
    Row(url: "https://example.com/a?b=c&d#e", path: "a?b=c&d"),
    Row(url: "https://example.com?b=c", path: "?b=c"),
    Row(url: "https://example.com#fragment"),
    Row(url: "https://example.com/#/login"),
    Row(url: "https://example.com/a@b:c", path: "a@b:c"),
    Row(url: "https://example.com?user@host", path: "?user@host"),
    Row(url: "https://example.com/a\\b", path: "a\\b"),
    Row(url: "https://alice@example.com", user: "alice"),
    Row(url: "https://@example.com", user: ""),
    Row(url: "https://:@example.com", user: "", hasPassword: true),
    Row(url: "https://alice:@example.com", user: "alice", hasPassword: true),
    Row(
      url: "https://alice:s%65cret@example.com:8443/x", user: "alice", hasPassword: true,
      port: 8443, path: "x"),
    Row(url: "https://alice:a:b@example.com", user: "alice", hasPassword: true),
    Row(url: "https://alice%40corp%3Ax:p@example.com", user: "alice@corp:x", hasPassword: true),
    Row(url: "https://j%C3%B6rg@example.com", user: "jörg"),
    Row(url: "https://jörg:pä@example.com", user: "jörg", hasPassword: true),
    Row(url: "https://a!$&'()*+,;=-._~b@example.com", user: "a!$&'()*+,;=-._~b"),
    Row(url: "http://bücher.example/", proto: "http", host: "xn--bcher-kva.example"),
    Row(url: "https://ex%61mple.com"),
    Row(url: "http://[::1]:8080/x", proto: "http", host: "::1", port: 8080, path: "x"),
    Row(
      url: "http://u:p@[2001:DB8::1]", proto: "http", user: "u", hasPassword: true,
      host: "2001:db8::1"),
    Row(url: "http://[fe80::1%25eth0]/", proto: "http", host: "fe80::1%eth0"),
    Row(url: "http://127.0.0.1:80", proto: "http", host: "127.0.0.1", port: 80),
    Row(url: "socks5://proxy:1080", proto: "socks", host: "proxy", port: 1080),
    Row(url: "svn+ssh://host/r", proto: "svn+ssh", host: "host", path: "r"),
    Row(url: "cert:///etc/key.pem", proto: "cert", host: "", path: "etc/key.pem"),
    Row(url: "cert://user@/key", proto: "cert", user: "user", host: "", path: "key"),
  ]

  @Test("a URL is taken apart", arguments: rows)
  func parse(row: Row) throws {
    let reference = try URLReference(row.url)
    #expect(reference.protocol.rawValue == row.proto)
    #expect(reference.user == row.user)
    #expect(reference.hasPassword == row.hasPassword)
    #expect(reference.host.name == row.host)
    #expect(reference.port == row.port)
    #expect(reference.path.hasSameBytes(as: row.path))
  }

  static let refused = [
    // Scheme.
    "", " ", "example.com", "example.com/path", "example.com:443", "//example.com", "://", "://x",
    "https", "https:", "https:/", "https:example.com", "https:/example.com", "1http://x",
    "ht tp://x", " https://x", "\nhttps://x", "https\0://x", "hτtps://x", "-://x", ":",
    "git@example.com:path", "mailto:alice@example.com", "C:\\x",
    // No host.
    "https://", "https:///", "http:///path", "https://user@", "https://user@/x", "https://:443",
    "https://?x", "https://#x", "https://@", "cert://:1/x",
    // User information.
    "https://a@b@example.com", "https://a:b@c:d@example.com", "https://a b@example.com",
    "https://a\\@example.com", "https://good.com\\@evil.com", "https://a[b@example.com",
    "https://a\"b@example.com", "https://<a>@example.com", "https://a^b@example.com",
    "https://a\tb@example.com", "https://a\0@example.com", "https://a:p w@example.com",
    "https://%@example.com", "https://%4@example.com", "https://%zz@example.com",
    "https://a:%@example.com", "https://a:%zz@example.com", "https://%00@example.com",
    "https://a%0ab@example.com", "https://%ff@example.com", "https://%7f@example.com",
    // Host.
    "https://exa mple.com", "https://example..com", "https://-example.com",
    "https://example.com\\path", "https://example.com\\@evil.com", "https://exam%ple.com",
    "https://example%00.com", "https://example%2ecom%2f", "https://1.2.3", "https://0x7f.1",
    "https://256.1.1.1", "https://1.2.3.4.", "https://xn--a/", "https://[::1", "https://::1",
    "https://[::1]x", "https://x[::1]", "https://[example.com]", "https://[::1%25eth0]",
    "https://example.com\n", "https://\u{FF0F}", "https://a,b", "https://*.example.com",
    // Port.
    "https://example.com:0", "https://example.com:65536", "https://example.com:99999",
    "https://example.com:000443", "https://example.com:-1", "https://example.com:+1",
    "https://example.com:4 3", "https://example.com:443x", "https://example.com:x",
    "https://example.com::443", "https://example.com:443:", "https://example.com:٣",
    "https://example.com:18446744073709551617", "https://[::1]:x", "https://[::1]:65536",
    // Path.
    "https://example.com/%", "https://example.com/%4", "https://example.com/%zz",
    "https://example.com/a b", "https://example.com/a\tb", "https://example.com/a\nb",
    "https://example.com/%00", "https://example.com/a%0Ab", "https://example.com/a%0db",
    "https://example.com/%ff", "https://example.com/%c0%af", "https://example.com/?a b",
    "https://example.com/%7F", "https://example.com/\0",
  ]

  @Test("what is no URL is an invalid argument", arguments: refused)
  func refusals(url: String) {
    #expect(throws: VaultError(.invalidArgument, "")) { try URLReference(url) }
  }

  @Test("a second '@' is named as what is wrong, before the host is looked at")
  func secondAt() throws {
    let error = try #require(throws: VaultError.self) {
      try URLReference("https://a@evil.com@example.com")
    }
    #expect(error.context == "url: more than one '@' before the host")
  }

  @Test("there are more refused rows than accepted ones")
  func corpus() {
    #expect(Self.rows.count > 30)
    #expect(Self.refused.count > 2 * Self.rows.count)
  }

  @Test("neither the value nor an error holds the password")
  func password() throws {
    let reference = try URLReference("https://alice:Tr0ub4dor@example.com/x")
    var dumped = ""
    dump(reference, to: &dumped)
    #expect(!dumped.contains("Tr0ub4dor"))
    for url in [
      "https://alice:Tr0ub4dor @example.com", "https://alice:Tr0ub4dor@exa mple",
      "https://alice:Tr0ub4dor@@example.com", "https://alice:Tr0ub4dor@h:x",
      "https://alice:Tr0ub4dor/example.com", "Tr0ub4dor",
    ] {
      let error = try #require(throws: VaultError.self) { try URLReference(url) }
      #expect(!error.description.contains("Tr0ub4dor"))
    }
  }

  @Test("random text is a URL or an invalid argument")
  func random() {
    var random = SplitMix(seed: 3)
    let alphabet = Array("ahtps:/@?#[]%20.1:ü\0 \\".utf8) + [0xFF]
    var accepted = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...16, using: &random)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      let prefix = Bool.random(using: &random) ? "ssh://" : ""
      do {
        let reference = try URLReference(prefix + String(decoding: bytes, as: UTF8.self))
        #expect(reference.protocol != .unset)
        #expect(reference.port != 0)
        accepted += 1
      } catch {
        #expect(error.code == .invalidArgument)
      }
    }
    #expect(accepted > 100)
  }
}
