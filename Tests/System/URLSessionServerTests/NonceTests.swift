import Foundation
import FoundationNetworking
import HTTPAuthentication
import HTTPTesting
import Testing
import VaultURLSession

extension RealServers {
  @Suite("Nonces")
  struct NonceTests {
    @Test(
      "a nonce is used again, counted, and left for the next one where the server names it",
      arguments: ["digest", "counted", "nextnonce", "once"])
    func again(path: String) async throws {
      let client = try Client(.use("ann", "correct horse"))
      for page in 1...3 { #expect(try await client.get("\(path)/\(page)") == .page) }
      #expect(client.prompt.questions.count == 1)
      #expect(try client.requests(4) == Scheme.digest(path).log(pages: 3))
    }

    @Test("a nonce that the server calls stale is replaced, and nobody is asked again")
    func stale() async throws {
      let client = try Client(.use("ann", "correct horse"))
      #expect(try await client.get("once/1") == .page)
      // The nonce is good for one request, and somebody else takes it.
      let request = RequestHead(url: try RequestURL(client.url("once/2")))
      let fields = try await client.session.authenticator.exchange(for: request).fields
      #expect(
        try await CurlClient.send(CurlRequest(url: client.url("once/2"), fields: fields)).status
          == 200)
      #expect(try await client.get("once/3") == .page)
      #expect(client.prompt.questions.count == 1)
      #expect(
        try client.requests(5) == [
          "- GET /once/1 401 - -", "ann GET /once/1 200 Digest -", "ann GET /once/2 200 Digest -",
          "ann GET /once/3 200 Digest -", "ann GET /once/3 401 Digest -",
        ])
    }
  }
}
