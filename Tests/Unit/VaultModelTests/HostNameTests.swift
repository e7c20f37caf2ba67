import TestSupport
import Testing

@testable import VaultModel

@Suite("Host")
struct HostTests {
  static let label63 = String(repeating: "a", count: 63)
  static let name253 =
    [label63, label63, label63].joined(separator: ".") + "." + String(repeating: "b", count: 61)

  static let canonical: [(text: String, name: String)] = [
    ("", ""),
    ("example.com", "example.com"),
    ("EXAMPLE.Com", "example.com"),
    ("example.com.", "example.com"),
    ("localhost", "localhost"),
    ("my_host", "my_host"),
    ("_dmarc.example.com", "_dmarc.example.com"),
    ("3com.com", "3com.com"),
    ("1.example", "1.example"),
    ("1.2.3.4a", "1.2.3.4a"),
    ("a.1e5", "a.1e5"),
    ("a.0y", "a.0y"),
    ("r3---sn-4g5e.example", "r3---sn-4g5e.example"),
    ("%65xample%2Ecom", "example.com"),
    ("b%C3%BCcher.example", "xn--bcher-kva.example"),
    (label63 + ".com", label63 + ".com"),
    (name253, name253),
    (name253 + ".", name253),
    // Internationalised names.
    ("bücher.example", "xn--bcher-kva.example"),
    ("BÜCHER.example", "xn--bcher-kva.example"),
    ("bu\u{308}cher.example", "xn--bcher-kva.example"),
    ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
    ("faß.de", "xn--fa-hia.de"),
    ("fass.de", "fass.de"),
    ("ẞ.de", "ss.de"),
    ("日本語。jp", "xn--wgv71a119e.jp"),
    ("example\u{FF0E}com", "example.com"),
    ("example\u{3002}com\u{FF61}", "example.com"),
    ("ｅｘａｍｐｌｅ.com", "example.com"),
    ("exa\u{AD}mple.com", "example.com"),
    ("क्\u{200D}ष.com", "xn--11b2ezcw70k.com"),
    ("_x.bücher.example", "_x.xn--bcher-kva.example"),
    ("１.２.３.４", "1.2.3.4"),
    // IPv4.
    ("0.0.0.0", "0.0.0.0"),
    ("255.255.255.255", "255.255.255.255"),
    ("127.0.0.1", "127.0.0.1"),
    ("%31.2.3.4", "1.2.3.4"),
    // IPv6, RFC 5952.
    ("::", "::"),
    ("::1", "::1"),
    ("[::1]", "::1"),
    ("0:0:0:0:0:0:0:1", "::1"),
    ("2001:DB8::1", "2001:db8::1"),
    ("2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"),
    ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
    ("2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
    ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
    ("1::", "1::"),
    ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
    ("[ABCD:EF01:2345:6789:ABCD:EF01:2345:6789]", "abcd:ef01:2345:6789:abcd:ef01:2345:6789"),
    ("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
    ("::FFFF:102:304", "::ffff:1.2.3.4"),
    ("::1.2.3.4", "::102:304"),
    ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
    ("1:2:3:4:5:6:7.8.9.10", "1:2:3:4:5:6:708:90a"),
    ("fe80::1%eth0", "fe80::1%eth0"),
    ("[fe80::1%25eth0]", "fe80::1%eth0"),
    ("[FE80::1%eth0]", "fe80::1%eth0"),
    ("[fe80::1%25]", "fe80::1%25"),
    ("fe80::1%251", "fe80::1%251"),
    ("febf::1%Wlan_0", "febf::1%Wlan_0"),
  ]

  @Test("spellings of one host have one canonical form", arguments: canonical)
  func canonicalForm(text: String, name: String) throws {
    #expect(try HostName(text).name.hasSameBytes(as: name))
  }

  @Test("the canonical form of a canonical form is itself", arguments: canonical)
  func idempotence(text: String, name: String) throws {
    let host = try HostName(text)
    #expect(try HostName(host.name) == host)
    #expect(HostName(canonical: host.name) == host)
    #expect(try host.isUnset || HostName(host.urlText) == host)
  }

  static let refused = [
    // Labels and lengths.
    ".", "..", ".com", "a..b", "a.b..", "...", ".a.", "\u{3002}",
    label63 + "a.com", "a." + label63 + "b", name253 + "b", name253 + "b.", "a." + name253,
    String(repeating: "a.", count: 3000),
    // Hyphens.
    "-a.com", "a-.com", "-", "--", "a.-b", "-oProxyCommand=x",
    // Characters.
    " ", "a b", " example.com", "example.com ", "a\tb", "a\nb", "a\rb", "example.com\n", "\0",
    "a\0b", "example.com\0.evil.com", "a/b", "a\\b", "a@b", "user@host", "a?b", "a#b", "a,b",
    "a;b", "a'b", "a\"b", "a(b)", "a*b", "*.example.com", "a+b", "a=b", "a&b", "a!b", "a~b",
    "a$b", "a|b", "a<b>", "a^b", "a`b", "{a}", "a\u{7F}b", "a\u{1}b",
    // Percent-encoding.
    "%", "a%", "a%2", "a%2g", "a%g2", "%zz", "%00", "a%00b", "a%2fb", "a%2Fb", "a%40b", "a%20b",
    "%2541", "a%25b", "a%3A80", "%ff", "%c3", "%C0%AE", "a%2e%2eb", "%5B::1%5D",
    // Ports and URLs.
    "example.com:80", "example.com:", ":80", ":", "1.2.3.4:80", "[::1]:80", "https://example.com",
    "user:password@example.com",
    // Numbers that are not strict IPv4 addresses.
    "1.2.3.4.", "256.1.1.1", "1.2.3.256", "1.2.3", "1.2", "1", "12345", "1.2.3.4.5", "01.2.3.4",
    "1.2.3.04", "010.0.0.1", "0x7f.1", "0x7f000001", "0X7F.0.0.1", "1.2.3.0x4", "a.0x", "0x",
    "2130706433", "a.1", "example.007", "1.2.3.4000", "1..2.3", "１.２.３", "1.2.3.+4", "%31",
    // IPv6.
    "[", "]", "[]", "[::1", "::1]", "[[::1]]", "[::1]x", "x[::1]", "[1.2.3.4]", "[example.com]",
    ":::", "::::", "1:::2", "1::2::3", ":1", "1:", ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:",
    "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::1:2:3:4:5:6:7:8", "1:2:3:4::5:6:7:8",
    "12345::", "g::", "::g", "::-1", "::+1", "0x1::", "::1.2.3", "::1.2.3.256", "::01.2.3.4",
    "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "::1 ", " ::1", "::1.", "::\0", "::１",
    "[v1.fe]", "[::1%25]", "[ ::1]",
    // Zones.
    "::1%eth0", "2001:db8::1%eth0", "[::1%25eth0]", "fe80::1%", "[fe80::1%]", "fe80::1%a b",
    "fe80::1%a/b", "fe80::1%a%b", "fe80::1%\0", "fe80::1%ü", "%eth0", "fec0::1%eth0",
    "fe80::1%" + label63 + "a", "1.2.3.4%eth0",
    // Internationalised names.
    "xn--a", "xn--", "xn--0", "xn--abc-", "XN--A", "xn--u-ccb", "xn--zn7c.com", "xn--a-ecp.ru",
    "xn--xn---epa", "a.xn--a.b", "xn--ü", "xn--ls8h.la", "💩.la", "☃.net", "a..ü", "ü..", "-ü.de",
    "ü-.de", "\u{301}a.de", "\u{200D}.de", "a\u{200D}b.de", "1א.com", "ü b", "ü/x", "ü\u{FF0F}x",
    "ü\u{FF1A}80", "ü\u{FF20}x", "example.com\u{FF0F}.evil.com", "ü\0", "ü\u{7F}", "ü%41%",
    "\u{FF05}41ü", "a\u{2024}b\u{2100}c", String(repeating: "ü", count: 64),
    String(repeating: "ü.", count: 400),
  ]

  @Test("what is no host is an invalid argument", arguments: refused)
  func refusals(text: String) {
    #expect(throws: VaultError(.invalidArgument, "")) { try HostName(text) }
  }

  @Test("there are more refused rows than accepted ones")
  func corpus() {
    #expect(Self.canonical.count > 50)
    #expect(Self.refused.count > Self.canonical.count)
  }

  @Test("the error says what is wrong and not which text was given")
  func noEcho() throws {
    for text in ["user:Tr0ub4dor@example.com", "Tr0ub4dor x", "Tr0ub4dor..x", "xn--Tr0ub4dor"] {
      let error = try #require(throws: VaultError.self) { try HostName(text) }
      #expect(error.context.hasPrefix("host: "))
      #expect(!error.description.lowercased().contains("tr0ub4dor"))
    }
  }

  @Test("random bytes are a host with a stable canonical form or an invalid argument")
  func randomBytes() throws {
    var random = SplitMix(seed: 1)
    let alphabet = Array("aZ0x9-_.:[]%25fFüß。\u{200D}\0 /@".utf8) + [0xFF, 0xC3]
    var accepted = 0
    for round in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        round.isMultiple(of: 4)
          ? UInt8.random(in: .min ... .max, using: &random)
          : alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      do {
        let host = try HostName(String(decoding: bytes, as: UTF8.self))
        #expect(try HostName(host.name) == host)
        let isASCII = host.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        #expect(isASCII)
        accepted += 1
      } catch {
        #expect(error.code == .invalidArgument)
      }
    }
    #expect(accepted > 500)
  }

  @Test("every IPv6 address has one text that reads back")
  func addresses() throws {
    var random = SplitMix(seed: 2)
    for _ in 0..<5000 {
      let groups = (0..<8).map { _ in
        Bool.random(using: &random) ? 0 : UInt16.random(in: 0...0x1FF, using: &random)
      }
      let text = IPAddress.text(groups)
      #expect(IPAddress.groups(ipv6: Array(text.utf8)[...]) == groups)
      let full = groups.map { String($0, radix: 16) }.joined(separator: ":")
      #expect(try HostName(full).name == text)
    }
  }

  @Test(
    "addresses and names are told apart",
    arguments: [
      ("1.2.3.4", true), ("::1", true), ("fe80::1%eth0", true), ("::ffff:1.2.3.4", true),
      ("example.com", false), ("localhost", false), ("1.example", false), ("", false),
      ("a1", false), ("1.2.3.a4", false),
    ])
  func isIPAddress(text: String, expected: Bool) throws {
    #expect(try HostName(text).isIPAddress == expected)
  }

  @Test(
    "loopback is this machine's names and addresses only",
    arguments: [
      ("localhost", true), ("LOCALHOST.", true), ("a.localhost", true), ("127.0.0.1", true),
      ("127.255.255.254", true), ("::1", true), ("[0::1]", true), ("::ffff:127.0.0.1", true),
      ("localhost.com", false), ("notlocalhost", false), ("127.example", false),
      ("127.0.0.1.example", false), ("128.0.0.1", false), ("12.7.0.1", false), ("::", false),
      ("fe80::1%a.localhost", false), ("127.localhost", true), ("127.0.0.localhost", true),
      ("::2", false), ("0.0.0.0", false), ("::ffff:128.0.0.1", false), ("", false),
    ])
  func isLoopback(text: String, expected: Bool) throws {
    #expect(try HostName(text).isLoopback == expected)
  }

  @Test(
    "only a name below another is its subdomain",
    arguments: [
      ("git.example.com", "example.com", true), ("a.b.example.com", "example.com", true),
      ("a.localhost", "localhost", true), ("GIT.Example.com", "example.COM.", true),
      ("example.com", "example.com", false), ("example.com", "git.example.com", false),
      ("badexample.com", "example.com", false), ("example.com.evil", "example.com", false),
      ("example.com", "", false), ("", "example.com", false), ("", "", false),
      ("1.2.3.4", "3.example", false), ("x.1.2.3.4a", "1.2.3.4a", true),
      ("::ffff:1.2.3.4", "1.2.3.4", false), ("example.com", "com", true),
    ])
  func subdomains(name: String, of other: String, expected: Bool) throws {
    #expect(try HostName(name).isSubdomain(of: HostName(other)) == expected)
  }

  @Test("a name that is taken as it is, is its own canonical form, and most real ones are")
  func plain() throws {
    var random = SplitMix(seed: 1)
    let alphabet = Array("aaz09-_..xn".utf8)
    var plain = 0
    for _ in 0..<20_000 {
      let count = Int(random.next() % 12)
      let bytes = (0..<count).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
      guard HostName.isPlain(bytes.span) else { continue }
      plain += 1
      #expect(try HostName.canonicalName(bytes) == String(decoding: bytes, as: UTF8.self))
    }
    #expect(plain > 1000)
    for name in ["git.example.com", "localhost", "my_host", "r3-sn.example", Self.name253] {
      let isPlain = HostName.isPlain(name.utf8.span)
      #expect(isPlain, "\(name)")
    }
    let others = [
      "", "a" + Self.label63, Self.name253 + "b", "A.b", "a.", "1.2.3.4", "xn--a", "a b",
    ]
    for name in others {
      let isPlain = HostName.isPlain(name.utf8.span)
      #expect(!isPlain, "\(name)")
    }
  }

  @Test("hosts sort by their bytes, unset first")
  func order() throws {
    let names = ["b", "a.b", "a", "a-b", "", "a_b", "::1", "10.0.0.1", "9.0.0.1"]
    let sorted = try names.map { try HostName($0) }.sorted().map(\.name)
    #expect(sorted == ["", "10.0.0.1", "9.0.0.1", "::1", "a", "a-b", "a.b", "a_b", "b"])
  }

  @Test("unset is the empty host")
  func unset() throws {
    #expect(try HostName("") == .unset)
    #expect(HostName.unset.isUnset)
    #expect(try !HostName("a").isUnset)
    #expect(try HostName("a").description == "a")
  }
}
