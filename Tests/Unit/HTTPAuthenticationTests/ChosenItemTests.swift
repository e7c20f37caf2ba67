import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import TestSupport
import VaultModel

@Suite("which item is chosen by HTTP")
struct ChosenItemTests {
  private let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  /// Stores an item of `https://h`.
  private func add(
    _ user: String, _ password: String, path: String = "", realm: String = "Team",
    _ persistence: Persistence = .permanent
  ) throws {
    _ = try fixture.vault.add(
      Item(
        server: HostName("h"), account: user, secret: Secret(password), protocol: .https,
        realm: realm,
        path: path), persistence: persistence)
  }

  /// Returns the user that is logged in at a path of a server that knows these users; nil if
  /// nothing right was sent.
  private func user(
    at path: String, of users: [String: String], realm: String = "Team",
    _ authenticator: Authenticator? = nil
  ) async throws -> String? {
    let server = MemoryServer(users: users, realm: { _ in realm })
    let authenticator = authenticator ?? Authenticator(vault: fixture.vault)
    try await authenticator.get("https://h\(path)", from: server)
    #expect(server.log.filter(\.hasField).allSatisfy { $0.user != nil }, "a wrong secret was sent")
    return server.log.last?.user
  }

  @Test(
    "an item that names a path is sent nowhere else, however the path is written",
    arguments: [
      "/", "/privateer", "/other/private", "/PRIVATE", "/private/../other", "/private/%2e%2e/other",
      "/private/..%2fother", "/private/..%5Cother", "/private//../../other", "/private/..;/other",
      "/private/%252e%252e%252fother", "//private/../other", "/x?/private", "/%2fprivate",
    ])
  func elsewhere(_ path: String) async throws {
    for (index, persistence) in [Persistence.permanent, .session].enumerated() {
      try add("ann\(index)", "secret", path: "private", persistence)
    }
    for policy in [BeforeChallenge.never, .afterSuccess, .always] {
      let server = MemoryServer(users: ["ann0": "secret", "ann1": "secret"])
      let authenticator = Authenticator(
        vault: fixture.vault, settings: .init(beforeChallenge: policy))
      let (status, outcome) = try await authenticator.get("https://h\(path)", from: server)
      #expect(status == 401 && outcome.reason == .noCredential)
      #expect(server.log.allSatisfy { !$0.hasField })
    }
  }

  @Test("the longest path is meant first, and an item without a path last, in one store or both")
  func longest() async throws {
    let users = ["plain": "1", "team": "2", "deep": "3"]
    try add("plain", "1", .session)
    try add("team", "2", path: "/team/")
    try add("deep", "3", path: "team/deep", .permanent)
    #expect(try await user(at: "/x", of: users) == "plain")
    #expect(try await user(at: "/team", of: users) == "team")
    #expect(try await user(at: "/team/x?y", of: users) == "team")
    #expect(try await user(at: "/team/deep/er/", of: users) == "deep")
    #expect(try await user(at: "/team/deepest", of: users) == "team")
  }

  @Test(
    "no path lets a credential of another realm be sent; that of none answers below the realm's")
  func realms() async throws {
    let users = ["other": "1", "none": "2", "team": "3"]
    try add("other", "1", path: "private/deep", realm: "Other")
    #expect(try await user(at: "/private/deep", of: users) == nil)
    try add("none", "2", path: "private", realm: "")
    #expect(try await user(at: "/private/deep", of: users) == "none")
    try add("team", "3")
    #expect(try await user(at: "/private/deep", of: users) == "team")
    #expect(try await user(at: "/private/deep", of: users, realm: "Other") == "other")
  }

  @Test("the default user is one among those of the longest path, and plays no part above it")
  func defaults() async throws {
    let users = ["ann": "1", "bob": "2", "carl": "3"]
    try add("ann", "1")
    try add("bob", "2", path: "private")
    let space = try ProtectionSpace(host: "h", realm: "Team")
    try fixture.vault.setDefaultUser("ann", for: space)
    #expect(try await user(at: "/private/x", of: users) == "bob")
    try add("carl", "3", path: "private")
    #expect(try await user(at: "/private/x", of: users) == nil)
    try fixture.vault.setDefaultUser("carl", for: space)
    #expect(try await user(at: "/private/x", of: users) == "carl")
    #expect(try await user(at: "/other", of: users) == "ann")
  }

  @Test("once the longest path's was rejected, the next of the same user is tried")
  func next() async throws {
    try add("ann", "old", path: "private")
    try add("ann", "right")
    try add("bob", "also")
    let server = MemoryServer(users: ["ann": "right", "bob": "also"])
    let (status, _) = try await Authenticator(vault: fixture.vault)
      .get("https://h/private/x", from: server)
    #expect(status == 200 && server.statuses == [401, 401, 200])
    #expect(server.log.last?.user == "ann")
  }

  @Test("what is sent before a challenge is the item of that path, too")
  func beforeChallenge() async throws {
    try add("ann", "right")
    try add("eve", "secret", path: "private")
    let authenticator = Authenticator(vault: fixture.vault)
    let server = MemoryServer(
      users: ["ann": "right", "eve": "secret"], offers: [.digest])
    // Digest without a domain reaches the whole server.
    try await authenticator.get("https://h/x", from: server)
    try await authenticator.get("https://h/private/x", from: server)
    try await authenticator.get("https://h/private/y", from: server)
    try await authenticator.get("https://h/z", from: server)
    #expect(server.log.compactMap(\.user) == ["ann", "eve", "eve", "ann"])
    #expect(server.log.filter(\.hasField).allSatisfy { $0.user != nil })
    // Without an earlier prompt, the meant user is ambiguous.
    let always = Authenticator(vault: fixture.vault, settings: .init(beforeChallenge: .always))
    #expect(try await always.exchange(for: .get("https://h/private/x")).fields.isEmpty)
    #expect(try await always.exchange(for: .get("https://h/x")).fields.count == 1)
  }

  @Test("an accepted answer changes the item that is meant there, and none of another path")
  func stored() async throws {
    try add("ann", "private", path: "private")
    func answer(_ path: String, _ password: String) async throws {
      let prompt = ScriptedPrompt(.use("ann", password))
      let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
      let server = MemoryServer(users: ["ann": password])
      #expect(try await authenticator.get("https://h\(path)", from: server).status == 200)
    }
    func secrets() throws -> [String: String] {
      Dictionary(
        try fixture.items().map { item in
          (item.path, String(decoding: item.secret?.array ?? [], as: UTF8.self))
        }, uniquingKeysWith: { $0 + $1 })
    }
    try await answer("/other", "plain")
    #expect(try secrets() == ["private": "private", "": "plain"])
    try await answer("/private/x", "changed")
    #expect(try secrets() == ["private": "changed", "": "plain"])
    try await answer("/other", "newer")
    #expect(try secrets() == ["private": "changed", "": "newer"])
  }

  @Test("of random items and requests the choice is the one that a plain reading gives")
  func random() throws {
    var random = SplitMix(seed: 0x7061_7468)
    let names = ["a", "b", "ab"]
    func path() -> [String] {
      (0..<Int.random(in: 0...3, using: &random)).map { _ in
        names.randomElement(using: &random) ?? "a"
      }
    }
    for _ in 0..<60 {
      let vault = Vault.inMemory()
      var stored: [(realm: String, path: [String])] = []
      for number in 0..<Int.random(in: 1...8, using: &random) {
        let (realm, path) = (["Team", "Other", ""].randomElement(using: &random) ?? "", path())
        stored.append((realm, path))
        try vault.add(
          Item(
            server: HostName("h"), account: "\(number)", secret: Secret("s"), protocol: .https,
            realm: realm, path: path.joined(separator: "/")), persistence: .session)
      }
      for _ in 0..<10 {
        let asked = path()
        let found = try vault.candidatesInOrder(
          for: ProtectionSpace(host: "h", realm: "Team"),
          at: RequestPath(target: "/" + asked.joined(separator: "/")))
        let covering = stored.indices.filter {
          ["Team", ""].contains(stored[$0].realm) && asked.starts(with: stored[$0].path)
        }
        #expect(Set(found.map(\.item.account)) == Set(covering.map { "\($0)" }))
        // Items of the realm come before those of none, and within each the longest path.
        let places = try found.map { candidate in
          let index = try #require(Int(candidate.item.account))
          return (stored[index].realm == "Team" ? 1 : 0, stored[index].path.count)
        }
        #expect(zip(places, places.dropFirst()).allSatisfy { $0 >= $1 })
      }
    }
  }
}
