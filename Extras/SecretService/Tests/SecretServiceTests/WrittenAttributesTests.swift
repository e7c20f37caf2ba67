import BusMessages
import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import SecretService

/// Attributes as clients wrote them: read back, found again, and replaced.
@Suite("Attributes as they were written")
struct WrittenAttributesTests {
  /// The values that are tried for each name: those that a field of an item has in another form,
  /// and those that it does not have.
  private static let values: [(name: String, values: [String])] = [
    (
      "xdg:schema",
      [
        "", "org.gnome.keyring.NetworkPassword", "org.git.Password", "io.docker.Credentials",
        "org.freedesktop.Secret.Generic", "chrome_libsecret_os_crypt_password_v2", "org.example.X",
      ]
    ),
    (
      "server",
      [
        "example.com", "Example.COM", "example.com.", "m\u{FC}nchen.example", "[::1]", "::1",
        "https://index.docker.io/v1/", "registry.example.com:5000", "", "no host",
      ]
    ),
    ("protocol", ["https", "HTTPS", "htps", "http", "imaps", "", "x!"]),
    ("port", ["443", "80", "8443", "0", "0443", "", "99999", "http"]),
    ("user", ["ann", "Ann", "", "e\u{301}", "\u{E9}"]),
    ("domain", ["Realm", "realm", ""]),
    ("object", ["/", "/team/repo", "team/repo", "//x", "", "Team"]),
    ("authtype", ["basic", "Basic", "digest", "default", "", "x-own"]),
    ("service", ["pypi", "", "secret-service:x", "org.freedesktop.Secret.Collection"]),
    ("username", ["ann", "<token>", ""]),
    ("application", ["chromium", "Python keyring library", ""]),
    ("docker_cli", ["1", "0", ""]),
    ("label", ["Docker Credentials", "Mine", ""]),
    ("docker.server-url", ["x"]),
    ("mine", ["1", "2", ""]),
  ]

  /// Returns a set of attributes; most have what a known schema needs.
  private static func set(_ random: inout SplitMix) -> [String: String] {
    let wanted: [Set<String>] = [
      ["server", "protocol"], ["server", "protocol", "user"], ["server", "username", "xdg:schema"],
      ["service", "username"], ["xdg:schema", "application"], [],
    ]
    let base = wanted.randomElement(using: &random) ?? []
    var set: [String: String] = [:]
    for (name, values) in values
    where base.contains(name) || Int.random(in: 0..<4, using: &random) == 0 {
      set[name] = values.randomElement(using: &random)
    }
    return set
  }

  @Test(
    "600 sets are read back as they were written, and found by each part", arguments: [1, 2, 3])
  func readBack(seed: UInt64) throws {
    let bench = try ServiceFixture()
    var random = SplitMix(seed: seed)
    for _ in 0..<200 {
      let attributes = Self.set(&random)
      let path = try bench.create(attributes)
      let read = try #require(try bench.attributes(of: path))
      #expect(read.hasSameBytes(as: attributes), "\(attributes) became \(read)")
      #expect(try bench.search(attributes).unlocked.contains(path), "\(attributes)")
      var part = attributes
      while let name = part.keys.randomElement(using: &random) {
        #expect(
          try bench.search([name: part[name] ?? ""]).unlocked.contains(path),
          "\(attributes) by \(name)")
        part[name] = nil
        #expect(try bench.search(part).unlocked.contains(path), "\(attributes) by \(part)")
      }
      // Again it is the same item, and another set takes its place or is refused.
      #expect(try bench.create(attributes, Secret("new")) == path)
      let other = Self.set(&random)
      let refused = refusal { () throws(BusError) in
        try bench.call(
          path, "org.freedesktop.DBus.Properties", "Set", .text("org.freedesktop.Secret.Item"),
          .text("Attributes"), .variant(.texts(other)))
      }
      let now = try #require(try bench.attributes(of: path))
      #expect(
        now.hasSameBytes(as: refused == nil ? other : attributes),
        "\(other) in place of \(attributes) became \(now)")
    }
  }

  @Test("each spelling of a set is one item, which has the last one")
  func spellings() throws {
    let bench = try ServiceFixture()
    let sets: [[String: String]] = [
      ["server": "example.com", "protocol": "https", "user": "ann", "object": "x"],
      ["server": "Example.com", "protocol": "HTTPS", "user": "ann", "object": "/x"],
      [
        "server": "example.com", "protocol": "https", "user": "ann", "object": "x", "port": "443",
        "domain": "", "authtype": "", "xdg:schema": "org.git.Password",
      ],
    ]
    let path = try bench.create(sets[0])
    for set in sets + sets.reversed() {
      #expect(try bench.create(set) == path)
      #expect(try bench.attributes(of: path) == set)
      for other in sets { #expect(try bench.search(other).unlocked == [path]) }
    }
    #expect(try bench.vault.findAll(ItemQuery()).count == 1)
  }

  @Test("what others change of an item is what clients see")
  func changedElsewhere() throws {
    let bench = try ServiceFixture()
    let path = try bench.create([
      "server": "Example.COM", "protocol": "HTTPS", "user": "ann", "port": "443", "mine": "1",
    ])
    let item = try #require(try bench.vault.findAll(ItemQuery()).first)
    try bench.vault.modify(
      item, [.server(try HostName("other.example.com")), .port(8443), .account("bob")])
    #expect(
      try bench.attributes(of: path) == [
        "server": "other.example.com", "protocol": "HTTPS", "user": "bob", "port": "8443",
        "mine": "1",
      ])
  }

  /// Sets of one server and user, each of which is an item of its own.
  private static let neighbours: [[String: String]] = {
    let base = ["server": "example.com", "protocol": "https", "user": "ann"]
    return [
      [:], ["domain": "One"], ["domain": "Two"], ["domain": "One", "authtype": "digest"],
      ["authtype": "basic"], ["object": "/a"], ["port": "8443"], ["mine": "1"], ["mine": "2"],
      ["domain": "One", "mine": "1"],
    ].map { base.merging($0) { $1 } }
  }()

  @Test("a replaced item is the one of exactly these attributes, and no other changes")
  func neighbours() throws {
    let bench = try ServiceFixture()
    // In both orders, because the newest match is not always the exact one.
    for sets in [Self.neighbours, Self.neighbours.reversed()] {
      let paths = try sets.map { try bench.create($0, Secret("old")) }
      #expect(Set(paths).count == sets.count)
      for (index, set) in sets.enumerated() {
        #expect(try bench.create(set, Secret("new")) == paths[index])
        for (other, path) in paths.enumerated() {
          let secret = other <= index ? "new" : "old"
          #expect(try bench.secret(path) == Array(secret.utf8), "\(sets[other]) after \(set)")
        }
      }
      for (set, path) in zip(sets, paths) { #expect(try bench.attributes(of: path) == set) }
    }
  }
}
