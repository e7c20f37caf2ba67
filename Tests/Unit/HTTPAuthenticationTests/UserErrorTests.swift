import CredentialVault
import Glibc
import HTTPTesting
import SecureMemory
import Testing
import TestSupport
import VaultModel

@testable import HTTPAuthentication

/// An error of a user of the library.
private struct OwnError: Error, Equatable {
  let number: Int
}

/// A client of a user of the library, which cannot reach the issuer.
private struct FailingClient: Sendable {
  func send(_ request: TokenRequest) async throws -> TokenResponse { throw OwnError(number: 1) }
}

/// A provider whose two steps may fail.
private struct Provider: TokenProvider {
  var failsBefore = false

  func request(for question: TokenQuestion, in vaults: VaultList) throws -> TokenRequest? {
    if failsBefore { throw OwnError(number: 2) }
    return TokenRequest(url: try RequestURL("https://issuer/token"))
  }

  func token(from response: TokenResponse, for question: TokenQuestion) throws -> NewToken {
    throw OwnError(number: 3)
  }
}

/// Closures and providers that users write throw what they like.
@Suite struct UserErrorTests {
  private static func get(_ tokens: TokenProviders) async throws {
    let authenticator = Authenticator(
      vault: .inMemory(), settings: .init(refreshToken: tokens.token))
    _ = try await authenticator.get("https://h/", from: TokenServer([:]))
  }

  @Test("an error of the function that fetches tokens ends all requests that wait, unchanged")
  func refresh() async throws {
    let gate = Gate()
    let calls = Lock(0)
    let authenticator = Authenticator(
      vault: .inMemory(),
      settings: .init(refreshToken: { _ in
        calls.withLock { $0 += 1 }
        await gate.passUnlessCancelled()
        throw OwnError(number: 7)
      }))
    let server = TokenServer([:])
    let requests = (0..<3).map { _ in
      Task { try await authenticator.get("https://h/", from: server) }
    }
    while server.log.count < 3 || authenticator.refreshes.waiting < 3 { await Task.yield() }
    gate.open()
    for request in requests {
      await #expect(throws: OwnError(number: 7)) { try await request.value }
    }
    #expect(calls.withLock(\.self) == 1)
  }

  @Test("an error of a token that another program has stored meanwhile does not end the request")
  func stored() async throws {
    let fixture = try Fixture()
    let authenticator = Authenticator(
      vault: fixture.vault,
      settings: .init(refreshToken: { _ in
        try fixture.storeToken("t.1")
        throw OwnError(number: 7)
      }))
    let server = TokenServer(["t.1": []])
    #expect(try await authenticator.get("https://h/", from: server).1.reason == .done)
    #expect(server.log == [nil, "t.1"])
  }

  @Test("errors of sending a request for a token, and of providers, end the request unchanged")
  func providers() async throws {
    let vault = Vault.inMemory()
    let vaults = VaultList([vault], default: vault)
    let client = FailingClient()
    await #expect(throws: OwnError(number: 1)) {
      try await Self.get(
        TokenProviders([Provider()], in: vaults) { request in try await client.send(request) })
    }
    await #expect(throws: OwnError(number: 2)) {
      try await Self.get(
        TokenProviders([Provider(failsBefore: true)], in: vaults) { request in
          try await client.send(request)
        })
    }
    await #expect(throws: OwnError(number: 3)) {
      try await Self.get(
        TokenProviders([Provider()], in: vaults) { _ in
          TokenResponse(status: 200, body: Secret("{}"))
        })
    }
  }

  @Test("an error of a closure that answers ends its own request, and the others are asked")
  func asking() async throws {
    let queue = PromptQueue()
    let authenticator = Authenticator(
      vault: .inMemory(), prompt: NoPrompt(), settings: .waiting(in: queue))
    let server = MemoryServer()
    let (asked, results) = (Lock(0), Lock([Int]()))
    try await inThread {
      inThreads(2) { _ in
        let result: Int
        do {
          let request = try RequestHead.get("https://h/x")
          let answer = { (_: Question) throws -> Answer in
            let isFirst = asked.withLock { asked in
              asked += 1
              return asked == 1
            }
            guard isFirst else { return .use("ann", "right", .session) }
            while queue.state.withLock({ $0.waiters.count }) < 2 { sched_yield() }
            throw OwnError(number: 5)
          }
          result = try authenticator.send(request, asking: answer) { fields in
            let response = server.answer(request, fields)
            return (response, response.status)
          }.0
        } catch let error as OwnError {
          result = error.number
        } catch {
          result = 0
        }
        results.withLock { $0.append(result) }
      }
    }
    #expect(results.withLock { $0.sorted() } == [5, 200])
    #expect(asked.withLock(\.self) == 2)
  }
}
