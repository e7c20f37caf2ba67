import CredentialVault
import Glibc
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import TestSupport
import VaultModel

/// Clients that have a thread for each request, and no tasks.
@Suite struct BlockingTests {
  /// Sends a request to a server in memory.
  private static func get(
    _ authenticator: Authenticator, _ server: MemoryServer,
    asking answer: (Question) throws -> Answer
  ) throws -> (status: Int, outcome: Outcome) {
    let request = try RequestHead.get("https://h/x")
    let (status, outcome) = try authenticator.send(request, asking: answer) { fields in
      let response = server.answer(request, fields)
      return (response, response.status)
    }
    return (status, outcome)
  }

  @Test("a blocking request asks its closure on its own thread, and stores what was accepted")
  func asks() async throws {
    let fixture = try Fixture()
    try await inThread {
      let authenticator = Authenticator(
        vault: fixture.vault, prompt: ScriptedPrompt(.cancel(.all)),
        settings: .waiting(in: PromptQueue()))
      let caller = pthread_self()
      var questions: [Question] = []
      let (status, _) = try Self.get(authenticator, MemoryServer()) { question in
        #expect(pthread_equal(pthread_self(), caller) != 0)
        questions.append(question)
        return .use("ann", questions.count == 1 ? "wrong" : "right")
      }
      #expect(status == 200)
      #expect(questions.map(\.failures) == [0, 1])
      #expect(questions.map(\.failedUser) == [nil, "ann"])
      // The next program finds it.
      let next = try Self.get(Authenticator(vault: fixture.vault), MemoryServer()) { _ in
        .cancel(.all)
      }
      #expect(next.status == 200 && next.outcome.reason == .done)
    }
    #expect(try fixture.items().map { $0.has("right") } == [true])
  }

  @Test("a blocking request waits for the function that fetches tokens")
  func tokens() async throws {
    try await inThread {
      let authenticator = Authenticator(
        vault: .inMemory(),
        settings: .init(refreshToken: { _ in
          NewToken(Secret("t.1"))
        }))
      let server = TokenServer(["t.1": []])
      let request = try RequestHead.get("https://h/x")
      let (status, outcome) = try authenticator.send(request, asking: { _ in .cancel(.all) }) {
        let response = server.answer(request, $0)
        return (response, response.status)
      }
      #expect(status == 200 && outcome.reason == .done)
      #expect(server.log == [nil, "t.1"])
    }
  }

  @Test("blocking requests that wait for the same credential share one question")
  func sharedQuestion() async throws {
    let queue = PromptQueue()
    let authenticator = Authenticator(
      vault: .inMemory(), prompt: NoPrompt(), settings: .waiting(in: queue))
    let server = MemoryServer()
    let (asked, statuses) = (Lock(0), Lock([Int]()))
    try await inThread {
      inThreads(6) { _ in
        let status = try? Self.get(authenticator, server) { _ in
          asked.withLock { $0 += 1 }
          // The others are waiting, or find the answer.
          usleep(20_000)
          return .use("ann", "right", .session)
        }.status
        statuses.withLock { $0.append(status ?? 0) }
      }
    }
    #expect(asked.withLock(\.self) == 1)
    #expect(statuses.withLock(\.self) == Array(repeating: 200, count: 6))
  }

  @Test("a closure whose own request would ask waits for nobody")
  func nested() async throws {
    try await inThread {
      let authenticator = Authenticator(
        vault: .inMemory(), prompt: NoPrompt(), settings: .waiting(in: PromptQueue()))
      let server = MemoryServer()
      var inner: Outcome.Reason?
      let outer = try Self.get(authenticator, server) { _ in
        inner = try? Self.get(authenticator, server) { _ in .cancel(.all) }.outcome.reason
        return .use("ann", "right", .session)
      }
      #expect(inner == .unanswered)
      #expect(outer.status == 200)
    }
  }

  @Test("after a locked vault was unlocked, the same response is answered")
  func locked() async throws {
    let fixture = try Fixture()
    try fixture.store()
    try await inThread {
      try fixture.vault.lock()
      let request = try RequestHead.get("https://h/x")
      let response = MemoryServer().answer(request, [])
      var exchange = try Authenticator(vault: fixture.vault).exchange(for: request)
      #expect(throws: VaultError(.locked, "")) { try exchange.next(after: response) }
      try fixture.vault.unlock(with: fixture.key)
      #expect(try exchange.next(after: response).schemes == [.basic])
    }
  }

  @Test("a blocking request within the vault's own transaction is refused, not stuck")
  func transaction() async throws {
    let fixture = try Fixture()
    try await inThread {
      let request = try RequestHead.get("https://h/x")
      let response = MemoryServer().answer(request, [])
      let exchange = try Authenticator(vault: fixture.vault).exchange(for: request)
      try fixture.vault.write { _ in
        var exchange = exchange
        #expect(throws: VaultError(.invalidArgument, "")) { try exchange.next(after: response) }
      }
    }
  }
}
