import TestSupport
import Testing

@testable import VaultModel

@Suite("HostPattern")
struct HostPatternTests {
  static let read: [(text: String, pattern: String)] = [
    ("*", "*"),
    ("example.com", "example.com"),
    ("EXAMPLE.com.", "example.com"),
    ("*.example.com", "*.example.com"),
    ("*.Example.COM.", "*.example.com"),
    ("*.com", "*.com"),
    ("*.localhost", "*.localhost"),
    ("*._tcp.example.com", "*._tcp.example.com"),
    ("*.bücher.example", "*.xn--bcher-kva.example"),
    ("*.BU\u{308}CHER.example", "*.xn--bcher-kva.example"),
    ("*.%65xample.com", "*.example.com"),
    ("bücher.example", "xn--bcher-kva.example"),
    ("192.0.2.1", "192.0.2.1"),
    ("[2001:DB8:0::1]", "2001:db8::1"),
    ("::FFFF:C000:201", "::ffff:192.0.2.1"),
    ("[fe80::1%25eth0]", "fe80::1%eth0"),
  ]

  @Test("spellings of one pattern have one canonical form, which reads back", arguments: read)
  func canonicalForm(text: String, name: String) throws {
    let pattern = try HostPattern(text)
    #expect(pattern.description == name)
    #expect(try HostPattern(name) == pattern)
    #expect(try HostPattern(name).hashValue == pattern.hashValue)
  }

  @Test(
    "what is no pattern is an invalid argument that names the host",
    arguments: [
      "", " ", "*.", "*..", "*..com", "*.*", "*.*.com", "**", "**.com", "*com", "*a.com", "a*.com",
      "a.*.com", "a.*", "example.com*", "a*b", " *", "* ", "*\n", "*. example.com", "*.a..b", ".*",
      ".com", "*.-a.com", "%2A", "%2a.example.com", "*%2Eexample.com", "＊.example.com",
      "*。example.com", "*.\u{301}example.com", "*.\u{200D}example.com", "*\u{301}.example.com",
      "*.192.0.2.1", "*.2.1", "*.[::1]", "*.::1", "[*]", "[*.::1]", "*:443", "*.example.com:443",
      "example.com:443", "https://example.com", "//example.com", "*.example.com/", "192.0.2.0/24",
      "192.0.2.*", "2001:db8::/32", "*\0", "*.exa\0mple.com",
      "*." + String(repeating: "a", count: 64) + ".com",
    ])
  func refusals(text: String) throws {
    let error = try #require(throws: VaultError.self) { try HostPattern(text) }
    #expect(error.code == .invalidArgument)
    #expect(error.context.hasPrefix("host: "))
  }

  static let matching: [(pattern: String, host: String)] = [
    ("*", "example.com"), ("*", "192.0.2.1"), ("*", "::1"), ("*", ""),
    ("example.com", "EXAMPLE.com."), ("bücher.example", "XN--BCHER-KVA.example"),
    ("*.example.com", "a.example.com"), ("*.example.com", "a.b.example.com"),
    ("*.example.com", "A.Example.COM."), ("*.example.com", "example.com.example.com"),
    ("*.bücher.example", "a.xn--bcher-kva.example"), ("*.bücher.example", "ü.BÜCHER.example"),
    ("*.com", "example.com"), ("*.localhost", "a.localhost"),
    ("192.0.2.1", "192.0.2.1"), ("2001:db8::1", "[2001:DB8:0:0::1]"),
    ("192.0.2.1", "::ffff:192.0.2.1"), ("192.0.2.1", "[::FFFF:C000:201]"),
    ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:c000:201", "::ffff:192.0.2.1"),
    ("fe80::1%eth0", "[fe80::1%25eth0]"),
  ]

  @Test("a host that is meant matches, in every spelling", arguments: matching)
  func matches(pattern: String, host: String) throws {
    #expect(try HostPattern(pattern).matches(HostName(host)))
  }

  static let others: [(pattern: String, host: String)] = [
    ("example.com", "a.example.com"), ("example.com", "example.com.evil.org"),
    ("example.com", "badexample.com"), ("example.com", "example.co"), ("example.com", ""),
    ("*.example.com", "example.com"), ("*.example.com", "badexample.com"),
    ("*.example.com", "example.com.evil.org"), ("*.example.com", "a.example.com.evil.org"),
    ("*.example.com", "a.badexample.com"), ("*.example.com", "com"), ("*.example.com", ""),
    ("*.example.com", "a-example.com"), ("*.com", "com"), ("*.com", "example.community"),
    ("*.bücher.example", "a.bucher.example"), ("*.localhost", "localhost"),
    ("*.example.com", "fe80::1%a.example.com"),
    ("192.0.2.1", "192.0.2.10"), ("192.0.2.1", "1.192.0.2"), ("192.0.2.1", "::192.0.2.1"),
    ("192.0.2.1", "::fffe:192.0.2.1"), ("192.0.2.1", "64:ff9b::192.0.2.1"),
    ("192.0.2.1", "a192.0.2.1a"), ("::ffff:192.0.2.1", "192.0.2.2"), ("::1", "127.0.0.1"),
    ("2001:db8::1", "2001:db8::10"), ("fe80::1%eth0", "fe80::1"), ("fe80::1", "fe80::1%eth0"),
    ("192.0.2.1", "fe80::%192.0.2.1"), ("192.0.2.1", "::ffff:0:192.0.2.1"),
    // These three differ by "::ffff:" alone, and are a name and an address.
    ("abcd", "::ffff:abcd"), ("::ffff:abcd", "abcd"), ("*.abcd", "::ffff:abcd"),
  ]

  @Test("a host that is not meant does not match", arguments: others)
  func mismatches(pattern: String, host: String) throws {
    #expect(try !HostPattern(pattern).matches(HostName(host)))
  }

  @Test("the names below another are those whose last labels are all of its labels")
  func labels() throws {
    var random = SplitMix(seed: 3)
    // "ab" ends like "b", and "a.b" like "ab".
    func name(_ most: Int) -> [String] {
      (0..<Int.random(in: 1...most, using: &random)).map { _ in
        ["a", "b", "ab"][Int.random(in: 0..<3, using: &random)]
      }
    }
    var counts = [true: 0, false: 0]
    for _ in 0..<5000 {
      let (parent, labels) = (name(2), name(4))
      let isBelow = labels.count > parent.count && labels.suffix(parent.count) == parent[...]
      let pattern = try HostPattern("*." + parent.joined(separator: "."))
      #expect(try pattern.matches(HostName(labels.joined(separator: "."))) == isBelow)
      counts[isBelow, default: 0] += 1
    }
    #expect(counts.values.allSatisfy { $0 > 500 }, "\(counts)")
  }

  @Test("only a host that is somewhere is validated")
  func validation() throws {
    try HostPattern.any.validate()
    for pattern in [
      HostPattern.exact(.unset), .subdomains(of: .unset),
      .subdomains(of: try HostName("192.0.2.1")),
      .subdomains(of: try HostName("::1")),
    ] {
      let error = try #require(throws: VaultError.self) { try pattern.validate() }
      #expect(error.code == .invalidArgument && error.context.hasPrefix("host: "))
    }
  }
}
