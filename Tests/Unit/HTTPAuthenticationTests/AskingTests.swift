import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// Many requests that need an answer at once.
@Suite struct AskingTests {
  private func statuses(
    _ authenticator: Authenticator, _ server: MemoryServer, _ count: Int,
    _ url: @escaping @Sendable (Int) -> String = { "https://h/\($0)" }
  ) async throws -> [(status: Int, reason: Outcome.Reason)] {
    try await withThrowingTaskGroup(of: (Int, Outcome.Reason).self) { group in
      for index in 0..<count {
        group.addTask {
          let (status, outcome) = try await authenticator.get(url(index), from: server)
          return (status, outcome.reason)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test("50 requests of one space: one question, 50 successes, one item")
  func shared() async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt { question in
      await Task.yield()
      return question.failures == 0 ? .use("ann", "right") : .goOnWithout
    }
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    let all = try await statuses(authenticator, MemoryServer(), 50)
    #expect(all.allSatisfy { $0.status == 200 && $0.reason == .done })
    #expect(all.count == 50)
    #expect(prompt.questions.count == 1)
    #expect(try fixture.items().map(\.persistence) == [.permanent])
  }

  @Test("50 requests with a wrong stored password: one question, and all have the new one")
  func sharedModification() async throws {
    let fixture = try Fixture()
    let item = try fixture.store("ann", "wrong")
    let prompt = ScriptedPrompt { _ in .use("ann", "right") }
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    let all = try await statuses(authenticator, MemoryServer(), 50)
    #expect(all.allSatisfy { $0.status == 200 })
    #expect(prompt.questions.count == 1)
    #expect(try fixture.items().map(\.id) == [item.id])
    #expect(try fixture.vault.history.entries(of: item).count == 1)
  }

  @Test("a cancelled question ends all that share it, each with the 401")
  func cancelled() async throws {
    let gate = Gate()
    let prompt = ScriptedPrompt { _ in
      await gate.pass()
      return .cancel(.space)
    }
    let queue = PromptQueue()
    let authenticator = Authenticator(
      vault: .inMemory(), prompt: prompt, settings: .waiting(in: queue))
    async let all = statuses(authenticator, MemoryServer(), 50)
    await queue.reaches(50)
    gate.open()
    let ended = try await all
    #expect(ended.count == 50)
    #expect(ended.allSatisfy { $0.status == 401 && $0.reason == .cancelled })
    #expect(prompt.questions.count == 1)
  }

  @Test("cancel all ends those of other spaces, too, and cancelling one lets the others be asked")
  func cancelScopes() async throws {
    let gate = Gate()
    let all = ScriptedPrompt { _ in
      await gate.pass()
      return .cancel(.all)
    }
    let server = MemoryServer { target in target }
    let queue = PromptQueue()
    let authenticator = Authenticator(
      vault: .inMemory(), prompt: all, settings: .waiting(in: queue))
    async let ended = statuses(authenticator, server, 20)
    await queue.reaches(20)
    gate.open()
    #expect(try await ended.allSatisfy { $0.reason == .cancelled })
    #expect(all.questions.count == 1)

    let one = ScriptedPrompt(.cancel(.request), .use("ann", "right", .session))
    let reasons = try await statuses(
      Authenticator(vault: .inMemory(), prompt: one), MemoryServer(), 10
    ).map(\.reason)
    #expect(reasons.filter { $0 == .cancelled }.count == 1)
    #expect(reasons.filter { $0 == .done }.count == 9)
    #expect(one.questions.count == 2)
  }

  @Test("nobody answers: the request ends with its 401 when the time is up")
  func unanswered() async throws {
    let prompt = ScriptedPrompt { _ in
      do { try await Task.sleep(for: .seconds(600)) } catch { return .goOnWithout }
      return .goOnWithout
    }
    let authenticator = Authenticator(
      vault: .inMemory(), prompt: prompt, settings: .init(answerLimit: .milliseconds(20)))
    let (status, outcome) = try await authenticator.get("https://h/x", from: MemoryServer())
    #expect(status == 401)
    #expect(outcome.reason == .unanswered)
  }

  @Test("a request whose task is cancelled while it waits ends with interrupted")
  func taskCancelled() async throws {
    let gate = Gate()
    let prompt = ScriptedPrompt { _ in
      gate.open()
      do { try await Task.sleep(for: .seconds(600)) } catch { return .goOnWithout }
      return .goOnWithout
    }
    let authenticator = Authenticator(vault: .inMemory(), prompt: prompt)
    let task = Task { try await authenticator.get("https://h/x", from: MemoryServer()).status }
    await gate.pass()
    task.cancel()
    await #expect(throws: VaultError(.interrupted, "")) { try await task.value }
  }

  @Test(
    "a policy that lets nothing be remembered, or refuses, lets it be used",
    arguments: [true, false])
  func policy(_ refuses: Bool) async throws {
    let fixture = try Fixture()
    var rule = PersistencePolicy.Rule(name: "none")
    if refuses { rule.refuse = true } else { rule.maximumPersistence = .none }
    try fixture.vault.policy.update { [rule] in $0 = [rule] }
    let prompt = ScriptedPrompt(.use("ann", "right"))
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    let (status, outcome) = try await authenticator.get("https://h/x", from: MemoryServer())
    #expect(status == 200)
    #expect(outcome.storageError == nil)
    #expect(try fixture.items().isEmpty)
  }
}
