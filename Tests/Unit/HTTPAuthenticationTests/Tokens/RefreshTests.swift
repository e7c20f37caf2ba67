import CredentialVault
import HTTPTesting
import SecureMemory
import Testing
import TestSupport
import VaultModel

@testable import HTTPAuthentication

/// Tokens that the vault does not have, or not any more.
@Suite struct RefreshTests {
  /// A function that gets tokens, and keeps its questions.
  final class Issuer: Sendable {
    private let state = Lock<[TokenQuestion]>([])
    private let script: @Sendable (TokenQuestion, _ number: Int) async throws -> NewToken?

    init(
      _ script:
        @escaping @Sendable (TokenQuestion, _ number: Int) async throws -> NewToken?
    ) {
      self.script = script
    }

    var questions: [TokenQuestion] { state.withLock { $0 } }
    var causes: [TokenQuestion.Cause] { questions.map(\.cause) }

    func authenticator(
      _ vault: Vault, prompt: any CredentialPrompt = NoPrompt()
    ) -> Authenticator {
      Authenticator(vault: vault, prompt: prompt, settings: .init(refreshToken: token))
    }

    @Sendable func token(_ question: TokenQuestion) async throws -> NewToken? {
      let number = state.withLock { questions in
        questions.append(question)
        return questions.count
      }
      return try await script(question, number)
    }

    /// Waits until it was called.
    func wasCalled() async {
      while questions.isEmpty { await Task.yield() }
    }
  }

  private static let later = Timestamp(milliseconds: Timestamp.now().milliseconds + 3_600_000)

  @Test("a missing token is fetched once, stored with its expiry, and then found")
  func missing() async throws {
    let fixture = try Fixture()
    let server = TokenServer(["t.1": ["read"]]) { _ in "read" }
    let issuer = Issuer { _, _ in
      NewToken(
        Secret("t.1"), expires: Self.later, refreshToken: Secret("r.1"), user: "ann", path: "/a",
        persistence: .permanent)
    }
    let authenticator = issuer.authenticator(fixture.vault)
    for path in ["a/b/x", "a/c"] {
      #expect(try await authenticator.get("https://h/\(path)", from: server).1.reason == .done)
    }
    #expect(issuer.causes == [.missing])
    let question = try #require(issuer.questions.first)
    #expect(question.challenge.scope == "read" && question.challenge.value(of: "service") != nil)
    #expect(question.url.target == "/a/b/x" && question.item == nil)
    let item = try #require(fixture.items().first)
    #expect(item.has("t.1") && item.secretKind == .token && item.expires == Self.later)
    #expect(item.account == "ann" && item.path == "/a" && item.authenticationMethod == .bearer)
    #expect(item.refreshToken?.isEqual(to: Secret("r.1")) == true)
    #expect(server.log == [nil, "t.1", nil, "t.1"])
  }

  @Test("an expired token is replaced by means of its refresh token, which stays or is replaced")
  func expired() async throws {
    let fixture = try Fixture()
    var item = try fixture.storeToken("old", user: "ann")
    try fixture.vault.modify(
      item, [.expires(Timestamp(milliseconds: 1)), .refreshToken(Secret("r.1"))])
    let server = TokenServer(["t.1": []])
    let issuer = Issuer { _, number in
      NewToken(Secret("t.\(number)"), refreshToken: number == 2 ? Secret("r.2") : nil)
    }
    let authenticator = issuer.authenticator(fixture.vault)
    #expect(try await authenticator.get("https://h/", from: server).1.reason == .done)
    server.know(["t.2": []])
    #expect(try await authenticator.get("https://h/", from: server).1.reason == .done)
    #expect(issuer.causes == [.expired, .rejected])
    #expect(
      issuer.questions.allSatisfy {
        $0.refreshToken?.isEqual(to: Secret("r.1")) == true && $0.item?.id == item.id
          && $0.item?.secret == nil
      })
    item = try #require(fixture.items().first)
    #expect(try fixture.items().count == 1 && item.has("t.2") && item.expires == nil)
    #expect(item.refreshToken?.isEqual(to: Secret("r.2")) == true && item.account == "ann")
    #expect(server.log == [nil, "t.1", "t.1", "t.2"])
  }

  @Test("the end that a policy sets for an item is that of its refresh token, too")
  func policysEnd() async throws {
    let fixture = try Fixture()
    var rule = PersistencePolicy.Rule(name: "short")
    rule.lifetime = .milliseconds(1)
    try fixture.vault.policy.update { [rule] in $0 = [rule] }
    let item = try fixture.storeToken("old")
    try fixture.vault.modify(item, [.refreshToken(Secret("r.1"))])
    let end = try #require(fixture.items().first?.keptUntil)
    while Timestamp.now() <= end { await Task.yield() }
    let issuer = Issuer { _, _ in nil }
    _ = try await issuer.authenticator(fixture.vault).get("https://h/", from: TokenServer([:]))
    #expect(issuer.causes == [.expired])
    #expect(issuer.questions.allSatisfy { $0.item?.id == item.id && $0.refreshToken == nil })
  }

  @Test(
    "a scope that is lacking is fetched; one that is still lacking ends the request",
    arguments: [401, 403])
  func scope(_ status: Int) async throws {
    let fixture = try Fixture()
    try fixture.storeToken("narrow")
    let server = TokenServer(
      ["narrow": ["read"], "wide": ["read", "write"]], lackingStatus: status
    ) { $0 == "/admin" ? "write" : $0 == "/root" ? "all" : "read" }
    let issuer = Issuer { _, _ in NewToken(Secret("wide")) }
    let authenticator = issuer.authenticator(fixture.vault)
    #expect(try await authenticator.get("https://h/page", from: server).1.reason == .done)
    #expect(try await authenticator.get("https://h/admin", from: server).1.reason == .done)
    let outcome = try await authenticator.get("https://h/root", from: server).1
    #expect(outcome.reason == .insufficientScope)
    #expect(issuer.causes == [.insufficientScope, .insufficientScope])
    #expect(issuer.questions.map(\.challenge.scope) == ["write", "all"])
    #expect(server.statuses == [401, 200, status, 200, status])
  }

  @Test("of 50 requests that need the same token at once, one fetches it")
  func once() async throws {
    let fixture = try Fixture()
    try fixture.storeToken("old")
    let server = TokenServer(["t.1": []])
    let issuer = Issuer { _, number in
      for _ in 0..<100 { await Task.yield() }
      return NewToken(Secret("t.\(number)"))
    }
    let authenticator = issuer.authenticator(fixture.vault)
    let reasons = try await withThrowingTaskGroup(of: Outcome.Reason.self) { group in
      for number in 0..<50 {
        group.addTask { try await authenticator.get("https://h/\(number)", from: server).1.reason }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(reasons.count == 50 && reasons.allSatisfy { $0 == .done })
    #expect(issuer.questions.count == 1)
    #expect(server.log.count { $0 == "t.1" } == 50)
  }

  @Test("requests for two items or two paths do not share a token", arguments: [true, false])
  func paths(_ areStored: Bool) async throws {
    let fixture = try Fixture()
    let space = try ProtectionSpace(
      url: "https://h/", realm: "Team", authenticationMethod: .bearer)
    for path in areStored ? ["/a", "/b"] : [] {
      var item = Item(space: space, account: "ann", secret: Secret("old"))
      item.secretKind = .token
      item.path = path
      item.expires = Timestamp(milliseconds: 1)
      try await fixture.vault.add(item)
    }
    let server = TokenServer(["t./a": [], "t./b": []])
    let issuer = Issuer { question, _ in
      while server.log.count < 2 { await Task.yield() }
      for _ in 0..<100 { await Task.yield() }
      let path = String(question.url.target.dropLast(2))
      return NewToken(Secret("t.\(path)"), user: "ann", path: path)
    }
    let authenticator = issuer.authenticator(fixture.vault)
    let requests = ["/a", "/b"].map { path in
      Task { try await authenticator.get("https://h\(path)/x", from: server).1.reason }
    }
    for request in requests { #expect(try await request.value == .done) }
    let items = try fixture.items()
    #expect(items.count == 2 && items.allSatisfy { $0.has("t.\($0.path)") })
    #expect(Set(issuer.questions.map(\.url.target)) == ["/a/x", "/b/x"])
    #expect(server.log.compactMap { $0 }.sorted() == ["t./a", "t./b"])
  }

  @Test("a token in place of another vault's item has the path and the attributes of that item")
  func otherVault() async throws {
    let (own, team) = (try Fixture(), try Fixture())
    var item = Item(
      space: try ProtectionSpace(url: "https://h/", realm: "Team", authenticationMethod: .bearer),
      account: "ann", secret: Secret("old"))
    item.secretKind = .token
    item.path = "/a"
    item.expires = Timestamp(milliseconds: 1)
    item.refreshToken = Secret("r.1")
    item.custom = ["token-url": "https://issuer.example/"]
    try await team.vault.add(item)
    let issuer = Issuer { _, number in NewToken(Secret("t.\(number)")) }
    let authenticator = Authenticator(
      vaults: VaultList([own.vault, team.vault], default: own.vault),
      settings: .init(refreshToken: issuer.token))
    let server = TokenServer(["t.1": [], "t.2": []])
    for path in ["a/x", "a/y", "b"] {
      _ = try await authenticator.get("https://h/\(path)", from: server)
    }
    #expect(issuer.causes == [.expired, .missing])
    #expect(server.log == [nil, "t.1", "t.1", nil, "t.2"])
    let stored = try #require(own.items().first { $0.path == "/a" })
    #expect(stored.has("t.1") && stored.custom == item.custom && stored.account == "ann")
    #expect(stored.refreshToken?.isEqual(to: Secret("r.1")) == true)
    #expect(try team.items().first?.expires == item.expires)
  }

  @Test(
    "an error of the function ends all requests that wait, as it is",
    arguments: [VaultError.Code.unavailable, .interrupted, .authenticationFailed, .locked])
  func error(_ code: VaultError.Code) async throws {
    let gate = Gate()
    let issuer = Issuer { _, _ in
      await gate.passUnlessCancelled()
      throw VaultError(code, "the issuer says no")
    }
    let prompt = ScriptedPrompt(.use("", "t.1"))
    let authenticator = issuer.authenticator(.inMemory(), prompt: prompt)
    let server = TokenServer([:])
    let requests = (0..<3).map { _ in
      Task { try await authenticator.get("https://h/", from: server) }
    }
    await issuer.wasCalled()
    while server.log.count < 3 { await Task.yield() }
    gate.open()
    for request in requests {
      let error = await #expect(throws: VaultError.self) { try await request.value }
      #expect(error?.code == code && error?.context == "the issuer says no")
    }
    #expect(prompt.questions.isEmpty)
  }

  @Test(
    """
    who is cancelled leaves, and the others get the token; after the last, the call is cancelled, \
    and what it returns all the same is stored: the refresh token may have been used up
    """)
  func cancellation() async throws {
    let gate = Gate()
    let wasCancelled = Lock(false)
    let issuer = Issuer { _, _ in
      await gate.passUnlessCancelled()
      if Task.isCancelled { wasCancelled.withLock { $0 = true } }
      return NewToken(Secret("t.1"))
    }
    let vault = Vault.inMemory()
    let authenticator = issuer.authenticator(vault)
    let server = TokenServer(["t.1": []])
    func begin() -> Task<Outcome.Reason, any Error> {
      Task { try await authenticator.get("https://h/", from: server).1.reason }
    }
    let (first, second) = (begin(), begin())
    // The first would otherwise be the last, and end the call.
    while authenticator.refreshes.waiting < 2 { await Task.yield() }
    await issuer.wasCalled()
    first.cancel()
    await #expect(throws: VaultError(.interrupted, "")) { try await first.value }
    #expect(!wasCancelled.withLock { $0 })
    second.cancel()
    await #expect(throws: VaultError(.interrupted, "")) { try await second.value }
    while !wasCancelled.withLock({ $0 }) { await Task.yield() }
    while try await vault.findAll(ItemQuery()).isEmpty { await Task.yield() }
    gate.open()
    #expect(try await begin().value == .done)
    #expect(issuer.questions.count == 1)
  }

  @Test("a refresh token that another program has used leads to the token that this one stored")
  func otherProgram() async throws {
    let fixture = try Fixture()
    let item = try fixture.storeToken("old")
    try fixture.vault.modify(
      item, [.expires(Timestamp(milliseconds: 1)), .refreshToken(Secret("r.1"))])
    let other = try await Vault.open(path: fixture.path, key: fixture.key)
    let issuer = Issuer { _, _ in
      try other.modify(
        item, [.secret(Secret("t.1")), .expires(Self.later), .refreshToken(Secret("r.2"))])
      throw VaultError(.authenticationFailed, "invalid_grant")
    }
    let server = TokenServer(["t.1": []])
    let authenticator = issuer.authenticator(fixture.vault)
    #expect(try await authenticator.get("https://h/", from: server).1.reason == .done)
    #expect(server.log == [nil, "t.1"] && issuer.causes == [.expired])
    #expect(try fixture.items().first?.refreshToken?.isEqual(to: Secret("r.2")) == true)
  }

  @Test("a token that no field can carry is an error, and replaces none", arguments: ["", "a b"])
  func unsendable(_ token: String) async throws {
    let fixture = try Fixture()
    try fixture.storeToken("old")
    let issuer = Issuer { _, _ in NewToken(Secret(token)) }
    let authenticator = issuer.authenticator(fixture.vault)
    await #expect(throws: VaultError(.invalidData, "")) {
      try await authenticator.get("https://h/", from: TokenServer([:]))
    }
    #expect(try fixture.items().map { $0.has("old") } == [true])
  }

  @Test("a server that refuses every token gets two for one request, and each one once")
  func bounded() async throws {
    let server = TokenServer([:])
    let issuer = Issuer { _, number in NewToken(Secret("t.\(number)")) }
    let authenticator = issuer.authenticator(.inMemory())
    #expect(try await authenticator.get("https://h/", from: server).1.reason == .rejected)
    #expect(server.log == [nil, "t.1", "t.2"])
    let stubborn = Issuer { _, _ in NewToken(Secret("same")) }
    let other = TokenServer([:])
    let outcome = try await stubborn.authenticator(.inMemory()).get("https://h/", from: other).1
    #expect(outcome.reason == .rejected && other.log == [nil, "same"])
    let none = Issuer { _, _ in nil }
    #expect(
      try await none.authenticator(.inMemory()).get("https://h/", from: other).1.reason
        == .noCredential)
  }

  @Test("a call that needs its own result ends, and so do those that wait for it")
  func itself() async throws {
    let server = TokenServer(["t.1": []])
    let holder = Lock<Authenticator?>(nil)
    let authenticator = Authenticator(
      vault: .inMemory(),
      settings: .init(refreshToken: { _ in
        _ = try await holder.withLock { $0 }?.get("https://h/", from: server)
        return nil
      }))
    holder.withLock { $0 = authenticator }
    await #expect(throws: VaultError(.unavailable, "")) {
      try await authenticator.get("https://h/", from: server)
    }
    holder.withLock { $0 = nil }
  }

  @Test("the policy says where a token is kept, and it is used all the same")
  func policy() async throws {
    for (max, kept) in [(Persistence.none, 0), (.session, 1)] {
      let fixture = try Fixture()
      var rule = PersistencePolicy.Rule(name: "tokens")
      rule.maximumPersistence = max
      try fixture.vault.policy.update { [rule] in $0 = [rule] }
      let server = TokenServer(["t.1": []])
      let issuer = Issuer { _, _ in NewToken(Secret("t.1"), persistence: .permanent) }
      let outcome = try await issuer.authenticator(fixture.vault).get("https://h/", from: server).1
      #expect(outcome.reason == .done && outcome.storageError == nil)
      #expect(try fixture.items().map(\.persistence) == Array(repeating: max, count: kept))
    }
  }
}
