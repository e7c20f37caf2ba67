import HTTPAuthentication
import HTTPTesting
import Testing

extension RealServers {
  @Suite("Nonces")
  struct NonceTests {
    /// Gets three pages one after the other.
    func visits(_ client: Client, _ path: String) async throws -> [[Int]] {
      var visits: [[Int]] = []
      for page in 1...3 {
        let visit = try await client.get("\(path)/\(page)")
        #expect(visit.outcome.reason == .done)
        visits.append(visit.statuses)
      }
      return visits
    }

    @Test(
      "a nonce is used again, counted, and left for the next one where the server names it",
      arguments: ["digest", "counted", "nextnonce", "once"])
    func again(path: String) async throws {
      let client = try Client(.use("ann", "correct horse"))
      #expect(try await visits(client, path) == [[401, 200], [200], [200]])
      #expect(client.prompt.questions.count == 1)
      #expect(try client.requests(4) == Scheme.digest(path).log(pages: 3))
    }

    @Test("a nonce that the server calls stale is replaced, and nobody is asked again")
    func stale() async throws {
      let client = try Client(.use("ann", "correct horse"))
      _ = try await client.get("once/1")
      // Both are made with the one nonce that is good for one request.
      var first = try await client.authenticator.exchange(for: client.request("once/2"))
      var second = try await client.authenticator.exchange(for: client.request("once/3"))
      let good = try await client.send("once/2", first.fields)
      #expect(good.status == 200)
      guard case .finish = try await first.next(after: good.response) else {
        Issue.record("a good response is not the end")
        return
      }
      let stale = try await client.send("once/3", second.fields)
      #expect(stale.status == 401)
      #expect(stale.values(of: "WWW-Authenticate").first?.contains("stale=true") == true)
      guard case .send(let fields) = try await second.next(after: stale.response) else {
        Issue.record("a stale nonce is not replaced")
        return
      }
      let renewed = try await client.send("once/3", fields)
      #expect(renewed.status == 200)
      #expect(client.prompt.questions.count == 1)
      #expect(try client.items().count == 1)
    }

    @Test(
      "a request that is sent twice because its response was lost meets a stale nonce, and goes on")
    func lostResponse() async throws {
      let client = try Client(.use("ann", "correct horse"))
      var exchange = try await client.authenticator.exchange(for: client.request("once/1"))
      let challenge = try await client.send("once/1", exchange.fields)
      guard case .send(let fields) = try await exchange.next(after: challenge.response) else {
        Issue.record("the challenge is not answered")
        return
      }
      #expect(try await client.send("once/1", fields).status == 200)
      let stale = try await client.send("once/1", fields)
      #expect(stale.status == 401)
      #expect(stale.values(of: "WWW-Authenticate").first?.contains("stale=true") == true)
      guard case .send(let renewed) = try await exchange.next(after: stale.response) else {
        Issue.record("a stale nonce is not replaced")
        return
      }
      #expect(try await client.send("once/1", renewed).status == 200)
      #expect(client.prompt.questions.count == 1)
    }

    @Test("a count that comes too late is answered anew, though the server says no word of stale")
    func outOfOrder() async throws {
      let client = try Client(.use("ann", "correct horse"))
      _ = try await client.get("counted/1")
      var early = try await client.authenticator.exchange(for: client.request("counted/2"))
      let late = try await client.get("counted/3")
      #expect(late.statuses == [200])
      let refused = try await client.send("counted/2", early.fields)
      #expect(refused.status == 401)
      #expect(refused.values(of: "WWW-Authenticate").first?.contains("stale") == false)
      guard case .send(let none) = try await early.next(after: refused.response) else {
        Issue.record("a count that came too late is not answered")
        return
      }
      // For a nonce that no other request counts.
      #expect(none.isEmpty)
      let anew = try await client.send("counted/2", none)
      guard case .send(let fields) = try await early.next(after: anew.response) else {
        Issue.record("a nonce of its own is not answered")
        return
      }
      #expect(try await client.send("counted/2", fields).status == 200)
      #expect(client.prompt.questions.count == 1)
    }

    @Test("a response whose proof is wrong is not the server's, and nothing is stored for it")
    func unproven() async throws {
      let client = try Client(.use("ann", "correct horse"))
      let request = try client.request("digest/1")
      let (reply, outcome) = try await client.authenticator.send(request) { fields in
        let reply = try await client.send("digest/1", fields)
        let changed = reply.response.fields.map { field in
          guard field.name == "Authentication-Info" else { return field }
          // The first digit of the proof is changed.
          let start = field.value.firstIndex(of: "\"").map(field.value.index(after:))
          guard let start else { return field }
          let digit = field.value[start] == "0" ? "1" : "0"
          return ResponseHead.Field(
            field.name, field.value[..<start] + digit + field.value[start...].dropFirst())
        }
        return (ResponseHead(status: reply.status, fields: changed), reply)
      }
      #expect(reply.status == 200)
      #expect(reply.values(of: "Authentication-Info").first?.contains("rspauth=") == true)
      #expect(outcome.reason == .unproven)
      #expect(try client.items() == [])
    }
  }
}
