import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// Preemptive sending without an earlier success: only unambiguous credentials are sent.
@Suite struct AlwaysTests {
  private func authenticator(_ vault: Vault) -> Authenticator {
    Authenticator(vault: vault, settings: .init(beforeChallenge: .always))
  }

  /// Returns the number of fields that a request begins with.
  private func count(
    _ authenticator: Authenticator, _ url: String = "https://h/x"
  ) throws -> Int {
    try authenticator.exchange(for: .get(url)).fields.count
  }

  @Test("one user's credentials of two realms: nobody can tell which one is meant")
  func twoRealms() throws {
    let fixture = try Fixture()
    try fixture.store()
    #expect(try count(authenticator(fixture.vault)) == 1)
    try fixture.store("ann", "other", realm: "Other")
    #expect(try count(authenticator(fixture.vault)) == 0)
    #expect(try count(authenticator(fixture.vault), "https://ann@h/x") == 0)
  }

  @Test("an item that names a path is not for every path of its server")
  func path() throws {
    let fixture = try Fixture()
    _ = try fixture.vault.add(
      Item(
        server: HostName("h"), account: "ann", secret: Secret("right"), protocol: .https,
        path: "/git"))
    #expect(try count(authenticator(fixture.vault)) == 0)
    #expect(try count(authenticator(fixture.vault), "https://h/git/x") == 0)
    try fixture.store("bob", "also")
    #expect(try count(authenticator(fixture.vault)) == 1)
  }

  @Test("once a success has shown which paths it is for, nothing stored is sent outside of them")
  func outside() async throws {
    let fixture = try Fixture()
    try await fixture.vault.set(
      Credential(user: "ann", secret: Secret("right"), persistence: .permanent),
      for: ProtectionSpace(host: "h", port: 444, realm: "Team"))
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: ScriptedPrompt(.use("ann", "right")),
      settings: .init(beforeChallenge: .always))
    let server = MemoryServer()
    try await authenticator.get("https://h/docs/a", from: server)
    #expect(server.statuses == [401, 200])
    #expect(try count(authenticator, "https://h/docs/b") == 1)
    #expect(try count(authenticator, "https://h/~eve/x") == 0)
    #expect(try count(authenticator, "https://h:444/~eve/x") == 1)
    // A caller's own credential for this request is sent.
    #expect(try count(authenticator, "https://ann:right@h/~eve/x") == 1)
  }

  @Test(
    "what Basic cannot carry is no error: it waits for a challenge that can",
    arguments: [true, false])
  func unsendable(_ isStored: Bool) async throws {
    let fixture = try Fixture()
    var request = try RequestHead.get("https://h/x")
    if isStored {
      try fixture.store("a:b", "right", .permanent, .default)
    } else {
      request.credential = .of("a:b")
    }
    let authenticator = authenticator(fixture.vault)
    #expect(try await authenticator.exchange(for: request).fields.isEmpty)
    let server = MemoryServer(users: ["a:b": "right"], offers: [.digest])
    #expect(try await authenticator.get(request, from: server).status == 200)
    #expect(server.statuses == [401, 200])
  }

  @Test("a 200 to what was sent unasked confirms nothing: the page may be open to all")
  func confirmsNothing() async throws {
    let fixture = try Fixture()
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: ScriptedPrompt(.use("ann", "mistyped")),
      settings: .init(beforeChallenge: .always))
    var one = try await authenticator.exchange(for: .get("https://h/a"))
    _ = try await one.next(after: .challenge("Basic realm=\"Team\""))
    _ = try await one.next(after: .status(503))
    var two = try await authenticator.exchange(for: .get("https://h/favicon.ico"))
    #expect(two.fields.count == 1)
    _ = try await two.next(after: .status(200))
    #expect(try fixture.items().map(\.persistence) == [.session])
  }
}

/// Items that hold no password: negative ones, or private keys.
@Suite struct NoPasswordTests {
  static let changes: [ItemChange] = [.isNegative(true), .secretKind(.identity)]

  private func authenticator(
    _ vault: Vault, _ beforeChallenge: BeforeChallenge = .afterSuccess
  ) -> Authenticator {
    Authenticator(vault: vault, settings: .init(beforeChallenge: beforeChallenge))
  }

  @Test("they answer no challenge, and hide no password", arguments: changes.indices)
  func challenged(_ change: Int) async throws {
    let fixture = try Fixture()
    let item = try fixture.store("ann", "right", .permanent, .default)
    _ = try fixture.vault.modify(item, [Self.changes[change]])
    let server = MemoryServer(users: ["ann": "right", "bob": "also"], offers: [.digest, .basic])
    let (_, outcome) = try await authenticator(fixture.vault).get("https://h/x", from: server)
    #expect(outcome.reason == .noCredential)
    #expect(server.log.map(\.hasField) == [false])
    try fixture.store("bob", "also")
    #expect(try await authenticator(fixture.vault).get("https://h/x", from: server).status == 200)
    #expect(server.log.last?.user == "bob")
  }

  @Test("they are not sent unasked", arguments: changes.indices)
  func unasked(_ change: Int) throws {
    let fixture = try Fixture()
    let item = try fixture.store()
    let authenticator = authenticator(fixture.vault, .always)
    #expect(try authenticator.exchange(for: .get("https://h/x")).fields.count == 1)
    _ = try fixture.vault.modify(item, [Self.changes[change]])
    #expect(try authenticator.exchange(for: .get("https://h/x")).fields.isEmpty)
  }

  @Test("they are not sent where their user had a success", arguments: changes.indices)
  func afterSuccess(_ change: Int) async throws {
    let fixture = try Fixture()
    let item = try fixture.store()
    let authenticator = authenticator(fixture.vault)
    try await authenticator.get("https://h/x", from: MemoryServer())
    #expect(try await authenticator.exchange(for: .get("https://h/x")).fields.count == 1)
    _ = try fixture.vault.modify(item, [Self.changes[change]])
    #expect(try await authenticator.exchange(for: .get("https://h/x")).fields.isEmpty)
  }
}
