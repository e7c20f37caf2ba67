import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// The flow of one request after the other, against a server in memory.
@Suite struct AuthenticatorTests {
  @Test("a stored credential answers the challenge, and nobody is asked")
  func stored() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let prompt = ScriptedPrompt()
    let server = MemoryServer()
    let (status, outcome) = try await Authenticator(vault: fixture.vault, prompt: prompt)
      .get("https://h/x", from: server)
    #expect(status == 200)
    #expect(outcome.reason == .done)
    #expect(server.statuses == [401, 200])
    #expect(prompt.questions.isEmpty)
  }

  @Test("what was asked for is in the file once the server has accepted it, and not before")
  func persistedAfterAcceptance() async throws {
    let fixture = try Fixture()
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: ScriptedPrompt(.use("ann", "right")))
    let server = MemoryServer()
    let request = try RequestHead(url: RequestURL("https://h/x"))
    var exchange = try await authenticator.exchange(for: request)
    #expect(exchange.fields.isEmpty)
    guard case .send(let fields) = try await exchange.next(after: server.answer(request, []))
    else { return #expect(Bool(false), "nothing to send") }
    #expect(try fixture.items().map(\.persistence) == [.session])
    let step = try await exchange.next(after: server.answer(request, fields))
    guard case .finish(let outcome) = step else { return #expect(Bool(false), "no end") }
    #expect(outcome.reason == .done)
    #expect(outcome.storageError == nil)
    #expect(try fixture.items().map(\.persistence) == [.permanent])
  }

  @Test("a wrong stored password is asked for once, and the new one modifies the item")
  func modified() async throws {
    let fixture = try Fixture()
    let item = try fixture.store("ann", "wrong")
    _ = try fixture.vault.modify(item, [.label("mine"), .comment("kept")])
    let prompt = ScriptedPrompt(.use("ann", "right"))
    let server = MemoryServer()
    let (status, _) = try await Authenticator(vault: fixture.vault, prompt: prompt)
      .get("https://h/x", from: server)
    #expect(status == 200)
    #expect(server.statuses == [401, 401, 200])
    let question = try #require(prompt.questions.first)
    #expect(prompt.questions.count == 1)
    #expect(question.failedUser == "ann")
    #expect(question.failures == 1)
    let items = try fixture.items()
    #expect(items.count == 1)
    #expect(items[0].id == item.id && items[0].label == "mine" && items[0].comment == "kept")
    #expect(items[0].created == item.created)
    #expect(items[0].has("right"))
    #expect(try fixture.vault.history.entries(of: item).count == 1)
  }

  @Test("a permanent credential is still there after its refusal, and a rejected answer is gone")
  func neverErased() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "old")
    let prompt = ScriptedPrompt(.use("ann", "worse"), .goOnWithout)
    let (status, outcome) = try await Authenticator(vault: fixture.vault, prompt: prompt)
      .get("https://h/x", from: MemoryServer())
    #expect(status == 401)
    #expect(outcome.reason == .rejected)
    #expect(prompt.questions.map(\.failures) == [1, 2])
    let items = try fixture.items()
    #expect(items.count == 1 && items[0].has("old") && items[0].persistence == .permanent)
  }

  @Test("the session's refused, the file's is tried before anybody is asked")
  func sessionThenFile() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right")
    try fixture.store("ann", "wrong", .session)
    let prompt = ScriptedPrompt()
    let server = MemoryServer()
    let (status, _) = try await Authenticator(vault: fixture.vault, prompt: prompt)
      .get("https://h/x", from: server)
    #expect(status == 200)
    #expect(server.statuses == [401, 401, 200])
    #expect(prompt.questions.isEmpty)
  }

  @Test("what was stored without a realm answers for all, below the realm's own, and is modified")
  func withoutRealm() async throws {
    let fixture = try Fixture()
    let item = try fixture.store("ann", "wrong", realm: "")
    let prompt = ScriptedPrompt(.use("ann", "right"))
    let server = MemoryServer()
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(server.statuses == [401, 401, 200])
    let items = try fixture.items()
    #expect(items.map(\.id) == [item.id] && items[0].has("right"))

    try fixture.store("ann", "exact")
    server.setPassword("exact", of: "ann")
    let other = Authenticator(vault: fixture.vault)
    #expect(try await other.get("https://h/x", from: server).status == 200)
    #expect(server.statuses.suffix(2) == [401, 200])
  }

  @Test("asked with persistence none, the credential is used once and stored nowhere")
  func usedOnce() async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt(.use("ann", "right", .none), .use("ann", "right", .none))
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    let server = MemoryServer()
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(try fixture.items().isEmpty)
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(prompt.questions.count == 2)
  }

  @Test("nobody is asked by NoPrompt: the caller gets the 401")
  func noPrompt() async throws {
    let server = MemoryServer()
    let (status, outcome) = try await Authenticator(vault: .inMemory())
      .get("https://h/x", from: server)
    #expect(status == 401)
    #expect(outcome.reason == .noCredential)
    #expect(server.statuses == [401])
  }

  @Test("what has expired is not sent, and the outcome says so")
  func expired() async throws {
    let fixture = try Fixture()
    let item = try fixture.store()
    _ = try fixture.vault.modify(item, [.expires(Timestamp.now().adding(.seconds(-60)))])
    let server = MemoryServer()
    let (_, outcome) = try await Authenticator(vault: fixture.vault)
      .get("https://h/x", from: server)
    #expect(outcome.reason == .expired)
    #expect(server.statuses == [401])
    // A new password makes the same item valid again.
    let asking = Authenticator(vault: fixture.vault, prompt: ScriptedPrompt(.use("ann", "right")))
    #expect(try await asking.get("https://h/x", from: server).status == 200)
    #expect(try fixture.items().map(\.id) == [item.id])
  }

  @Test("a 403 is no reason to ask: the credential is good, and nothing is stored for it yet")
  func refused() async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt(.use("ann", "right"))
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    let server = MemoryServer()
    server.setStatus(403)
    let (status, outcome) = try await authenticator.get("https://h/x", from: server)
    #expect(status == 403)
    #expect(outcome.reason == .refused)
    #expect(prompt.questions.count == 1)
    #expect(try fixture.items().map(\.persistence) == [.session])
    // The pending credential is used, and confirmed by the next success.
    server.setStatus(200)
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(prompt.questions.count == 1)
    #expect(try fixture.items().map(\.persistence) == [.permanent])
  }

  @Test("an answer that was refused already ends it", arguments: ["", "same"])
  func sameAnswer(_ password: String) async throws {
    let prompt = ScriptedPrompt { _ in .use("ann", password) }
    let server = MemoryServer()
    let (status, outcome) = try await Authenticator(vault: .inMemory(), prompt: prompt)
      .get("https://h/x", from: server)
    #expect(status == 401)
    #expect(outcome.reason == .rejected)
    #expect(server.statuses == [401, 401])
  }

  @Test("a prompt that never runs out of wrong passwords is asked ten times")
  func bounded() async throws {
    let prompt = ScriptedPrompt { question in .use("ann", "wrong \(question.failures)") }
    let server = MemoryServer()
    let (_, outcome) = try await Authenticator(vault: .inMemory(), prompt: prompt)
      .get("https://h/x", from: server)
    #expect(outcome.reason == .rejected)
    #expect(prompt.questions.count == 10)
  }

  @Test("an empty user and an empty password are an answer")
  func empty() async throws {
    let prompt = ScriptedPrompt(.use("", "", .session))
    let server = MemoryServer(users: ["": ""])
    #expect(
      try await Authenticator(vault: .inMemory(), prompt: prompt)
        .get("https://h/x", from: server).status == 200)
  }
}
