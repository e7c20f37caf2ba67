import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing
import URLSessionTesting

@testable import VaultURLSession

/// A loaded payload that the caller does not get is discarded; for a download it is a file.
@Suite("Payloads", .timeLimit(.minutes(5))) struct PayloadTests {
  /// Numbers for payloads, and those that were discarded.
  private final class PayloadNumbers: Sendable {
    private let state = Lock((made: 0, discarded: [Int]()))

    var kept: Set<Int> { state.withLock { Set(0..<$0.made).subtracting($0.discarded) } }
    var isEachDiscardedOnce: Bool {
      state.withLock { Set($0.discarded).count == $0.discarded.count }
    }

    func make() -> Int {
      state.withLock { state in
        state.made += 1
        return state.made - 1
      }
    }

    var transfer: Transfer<Int> {
      Transfer(
        task: { session, request, _, completion in
          session.dataTask(with: request) { data, response, error in
            completion(data.map { _ in self.make() }, response, error)
          }
        },
        empty: { self.make() },
        discard: { number in self.state.withLock { $0.discarded.append(number) } })
    }
  }

  @Test("of several responses only the caller's is kept", arguments: [false, true])
  func success(_ isDigest: Bool) async throws {
    let users = AuthenticatedSessionTests.users
    let login = isDigest ? ScriptedLogin.digest(users) : ScriptedLogin.basic(users)
    let server = try ScriptedServer { request in
      request.target == "/from" ? .redirect(to: "/to") : login(request)
    }
    let client = Client()
    try client.store(at: server)
    let counter = PayloadNumbers()
    let request = URLRequest(url: server.url("/from"))
    let (payload, response) = try await RequestLoader(
      counter.transfer, request, over: client.plain, for: client.session
    ).run()
    #expect(response.status == 200 && server.requests.count == 3)
    #expect(counter.kept == [payload] && counter.isEachDiscardedOnce)
  }

  @Test("where a request fails after a response, none is kept")
  func failure() async throws {
    let server = try ScriptedServer { .redirect(to: "\($0.target)x") }
    let counter = PayloadNumbers()
    let client = Client()
    let load = RequestLoader(
      counter.transfer, URLRequest(url: server.url("/")), over: try client.plain,
      for: client.session)
    await #expect(throws: URLError(.httpTooManyRedirects)) { try await load.run() }
    #expect(server.requests.count == 21 && counter.kept.isEmpty && counter.isEachDiscardedOnce)
  }

  @Test("where somebody is asked, and the task is cancelled, none is kept")
  func cancelled() async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(AuthenticatedSessionTests.users))
    let counter = PayloadNumbers()
    let sleeper = UnansweringPrompt()
    let client = try Client(.foundation, prompt: sleeper)
    let load = RequestLoader(
      counter.transfer, URLRequest(url: server.url()), over: try client.plain,
      for: client.session)
    let task = Task { try await load.run() }
    while !sleeper.isAsked, !Task.isCancelled { await Task.yield() }
    task.cancel()
    await #expect(throws: URLError(.cancelled)) { try await task.value }
    #expect(counter.kept.isEmpty && counter.isEachDiscardedOnce)
  }
}

/// A prompt that is asked, and does not answer until nobody waits for it any more.
final class UnansweringPrompt: CredentialPrompt {
  private let asked = Lock(false)

  var isAsked: Bool { asked.withLock { $0 } }

  func answer(_ question: Question) async -> Answer {
    asked.withLock { $0 = true }
    while !Task.isCancelled { await Task.yield() }
    return .goOnWithout
  }
}
