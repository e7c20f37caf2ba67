import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// Servers that name another realm in each challenge, in order to get a password as often as they
/// like.
@Suite struct ChangingRealmTests {
  private func server() -> MemoryServer {
    let count = Lock(0)
    return MemoryServer { _ in
      count.withLock { count in
        count += 1
        return "realm \(count)"
      }
    }
  }

  @Test("a wrong stored password goes to two realms, and to no third")
  func stored() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "wrong", realm: "")
    let server = server()
    try await Authenticator(vault: fixture.vault).get("https://h/x", from: server)
    #expect(server.log.map(\.hasField) == [false, true, true])
  }

  @Test("a wrong password of the caller's goes to two realms, and to no third")
  func own() async throws {
    let server = server()
    try await Authenticator(vault: .inMemory()).get("https://ann:wrong@h/x", from: server)
    #expect(server.log.map(\.hasField) == [false, true, true])
  }

  @Test("a wrong password of the caller's that was sent unasked goes to no realm then")
  func unasked() async throws {
    let server = server()
    try await Authenticator(vault: .inMemory(), settings: .init(beforeChallenge: .always))
      .get("https://ann:wrong@h/x", from: server)
    #expect(server.log.map(\.hasField) == [true])
  }

  @Test("an answer goes to two realms, and whoever gives it again ends it")
  func asked() async throws {
    let prompt = ScriptedPrompt { _ in .use("ann", "wrong") }
    let server = server()
    let fixture = try Fixture()
    try await Authenticator(vault: fixture.vault, prompt: prompt).get("https://h/x", from: server)
    #expect(server.log.map(\.hasField) == [false, true, true])
    #expect(prompt.questions.count == 3)
    #expect(try fixture.items().allSatisfy { $0.persistence == .session })
  }

  @Test("of two credentials of the caller's only the first one's user is sent")
  func oneUser() async throws {
    let server = MemoryServer(users: ["ann": "right", "bob": "also"])
    var request = try RequestHead.get("https://bob:also@h/x")
    request.credential = .of("ann", "wrong")
    let (status, outcome) = try await Authenticator(vault: .inMemory()).get(request, from: server)
    #expect(status == 401)
    #expect(outcome.reason == .rejected)
    #expect(server.log.map(\.hasField) == [false, true])
  }
}
