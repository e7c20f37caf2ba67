import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// The progress of one request from response to response.
@Suite struct RoundsTests {
  private func proxyChallenge(_ nonce: Int, isStale: Bool = false) -> ResponseHead {
    .proxyChallenge("Digest realm=\"P\", nonce=\"\(nonce)\", qop=\"auth\", stale=\(isStale)")
  }

  @Test("whatever proxy and server say between them, no request is sent more than 30 times")
  func bounded() async throws {
    var request = try RequestHead.get("https://h/x", through: Proxy(host: "proxy", port: 3128))
    request.proxyCredential = .of("pat")
    let prompt = ScriptedPrompt { question in .use("ann", "wrong \(question.failures)", .none) }
    var exchange = try await Authenticator(vault: .inMemory(), prompt: prompt).exchange(
      for: request)
    var reason: Outcome.Reason?
    var sent = 0
    while reason == nil, sent < 100 {
      sent += 1
      // Two stale nonces of the proxy's, and one for the request without a credential; then the
      // server's, and so on.
      let response =
        sent == 1 || sent % 4 != 1
        ? proxyChallenge(sent, isStale: sent % 4 > 1) : .challenge("Basic realm=\"Team\"")
      reason = try await exchange.next(after: response).reason
    }
    #expect(sent == 30)
    #expect(reason == .rejected)
    #expect(prompt.questions.count < 10)
  }

  @Test("a proxy's Digest counts each request, also those that only the server wanted anew")
  func bothSides() async throws {
    var request = try RequestHead.get("http://h/x", through: Proxy(host: "proxy", port: 3128))
    request.proxyCredential = .of("pat")
    let prompt = ScriptedPrompt { question in .use("ann", "wrong \(question.failures)", .none) }
    var exchange = try await Authenticator(vault: .inMemory(), prompt: prompt).exchange(
      for: request)
    var counts: [UInt32?] = []
    for round in 0..<4 {
      let response = round == 0 ? proxyChallenge(0) : .challenge("Basic realm=\"Team\"")
      let fields = try await exchange.next(after: response).fields
      counts.append(fields?.first { $0.isProxy }?.count)
    }
    #expect(counts == [1, 2, 3, 4])
  }

  @Test("a credential that was answered with the challenge of another realm is not sent again")
  func undecided() async throws {
    let fixture = try Fixture()
    try fixture.store()
    var exchange = try Authenticator(vault: fixture.vault).exchange("https://h/x")
    #expect(
      try await exchange.next(after: .challenge("Basic realm=\"Team\"")).schemes == [.basic])
    #expect(
      try await exchange.next(after: .challenge("Basic realm=\"Other\"")).reason == .noCredential)
    #expect(exchange.fields.isEmpty)
    #expect(try fixture.items().count == 1)
  }
}
