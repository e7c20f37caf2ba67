import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// Several prompts: each for its own requests, each account for itself.
@Suite struct PromptsTests {
  /// Returns the final status of a request that needs ann's or bob's credential.
  private func status(
    of user: String?, _ authenticator: Authenticator, _ server: MemoryServer
  ) async throws -> Int {
    var request = try RequestHead.get("https://h/x")
    request.user = user
    return try await authenticator.get(request, from: server).status
  }

  @Test("two authenticators on one vault: each one's prompt is asked for its requests")
  func twoPrompts() async throws {
    let vault = Vault.inMemory()
    let gate = Gate()
    let queue = PromptQueue()
    let nobody = ScriptedPrompt { _ in
      await gate.pass()
      return .goOnWithout
    }
    let person = ScriptedPrompt(.use("ann", "right", .session))
    let server = MemoryServer()
    let first = Authenticator(vault: vault, prompt: nobody, settings: .waiting(in: queue))
    let second = Authenticator(vault: vault, prompt: person, settings: .waiting(in: queue))
    async let one = first.get("https://h/x", from: server).status
    await nobody.wasAsked(1)
    async let two = second.get("https://h/x", from: server).status
    await queue.reaches(2)
    gate.open()
    #expect(try await one == 401)
    #expect(try await two == 200)
    #expect(nobody.questions.count == 1 && person.questions.count == 1)
  }

  @Test("two authenticators on one locked vault: that one has no key does not decide for the other")
  func twoKeys() async throws {
    let fixture = try Fixture()
    try fixture.store()
    try await fixture.vault.lock()
    let gate = Gate()
    let queue = PromptQueue()
    let nobody = GatedKey(nil, gate)
    let person = GatedKey(fixture.key, gate)
    let server = MemoryServer()
    let first = Authenticator(vault: fixture.vault, prompt: nobody, settings: .waiting(in: queue))
    let second = Authenticator(vault: fixture.vault, prompt: person, settings: .waiting(in: queue))
    let one = Task { try await first.get("https://h/x", from: server).status }
    await nobody.wasAsked()
    async let two = second.get("https://h/x", from: server).status
    await queue.reaches(2)
    gate.open()
    await #expect(throws: VaultError(.locked, "")) { try await one.value }
    #expect(try await two == 200)
    #expect(nobody.calls == 1 && person.calls == 1)
  }

  @Test("who waits behind a question for anybody finds the answer for its own account, unasked")
  func foundMeanwhile() async throws {
    let fixture = try Fixture()
    let gate = Gate()
    let queue = PromptQueue()
    let prompt = ScriptedPrompt { _ in
      await gate.pass()
      return .use("ann", "right")
    }
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: prompt, settings: .waiting(in: queue))
    let server = MemoryServer()
    async let one = status(of: nil, authenticator, server)
    await prompt.wasAsked(1)
    async let two = status(of: "ann", authenticator, server)
    await queue.reaches(2)
    gate.open()
    #expect(try await one == 200)
    #expect(try await two == 200)
    #expect(prompt.questions.map(\.user) == [nil])
  }

  @Test("two accounts of one space are two questions")
  func twoAccounts() async throws {
    let gate = Gate()
    let queue = PromptQueue()
    let prompt = ScriptedPrompt { question in
      await gate.pass()
      return .use(question.user ?? "", "right", .session)
    }
    let authenticator = Authenticator(
      vault: .inMemory(), prompt: prompt, settings: .waiting(in: queue))
    let server = MemoryServer(users: ["ann": "right", "bob": "right"])
    async let one = status(of: "ann", authenticator, server)
    await prompt.wasAsked(1)
    async let two = status(of: "bob", authenticator, server)
    await queue.reaches(2)
    gate.open()
    #expect(try await one == 200)
    #expect(try await two == 200)
    #expect(prompt.questions.map(\.user) == ["ann", "bob"])
    #expect(Set(server.log.compactMap(\.user)) == ["ann", "bob"])
  }

  @Test("an answer that comes when nobody waits any more is held nowhere")
  func late() async throws {
    let fixture = try Fixture()
    let gate = Gate()
    let clock = QueueTestClock()
    let queue = PromptQueue(clock: clock.clock)
    let prompt = ScriptedPrompt { _ in
      await gate.pass()
      return .use("ann", "right")
    }
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: prompt, settings: .waiting(in: queue, answerLimit: .seconds(1)))
    async let ended = authenticator.get("https://h/x", from: MemoryServer())
    await prompt.wasAsked(1)
    clock.pass(.seconds(2))
    #expect(try await ended.1.reason == .unanswered)
    gate.open()
    await queue.comesToRest()
    #expect(try fixture.items().isEmpty)
  }
}
