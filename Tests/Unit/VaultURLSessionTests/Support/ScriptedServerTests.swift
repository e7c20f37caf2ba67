import Foundation
import FoundationNetworking
import Testing
import URLSessionTesting

@Suite("The scripted server of the tests")
struct ScriptedServerTests {
  private let session = URLSession(configuration: .ephemeral)

  @Test("It answers as its script says and keeps what it was asked")
  func answers() async throws {
    let server = try ScriptedServer { .text("\($0.method) \($0.target) \($0.body.count)") }
    let (data, _) = try await session.data(from: server.url("/a?b=c"))
    #expect(String(decoding: data, as: UTF8.self) == "GET /a?b=c 0")
    var request = URLRequest(url: server.url("/form"))
    request.httpMethod = "POST"
    let (echo, _) = try await session.upload(
      for: request, from: Data(repeating: 7, count: 3_000_000))
    #expect(String(decoding: echo, as: UTF8.self) == "POST /form 3000000")
    #expect(server.requests.map(\.method) == ["GET", "POST"])
    #expect(server.requests.map(\.scheme) == [nil, nil])
  }

  @Test("It keeps a connection alive, and closes one that the script has it close")
  func connections() async throws {
    let server = try ScriptedServer { request in
      var response = ScriptedResponse.text("ok")
      response.closes = request.target == "/close"
      return response
    }
    for path in Array(repeating: "/", count: 8) + ["/close", "/"] {
      _ = try await session.data(from: server.url(path))
    }
    let connections = server.requests.map(\.connection)
    // libcurl learns which of its connections are free a moment after it has answered.
    #expect(Set(connections.prefix(8)).count < 8)
    #expect(connections.last != connections[8])
  }

  @Test("It reads a chunked body, and the next request after it")
  func chunked() async throws {
    let server = try ScriptedServer { .text(String(decoding: $0.body, as: UTF8.self)) }
    for body in ["one", "another"] {
      var request = URLRequest(url: server.url())
      request.httpMethod = "PUT"
      request.httpBodyStream = InputStream(data: Data(body.utf8))
      let (data, _) = try await session.data(for: request)
      #expect(String(decoding: data, as: UTF8.self) == body)
    }
    #expect(server.requests.allSatisfy { $0["Transfer-Encoding"]?.lowercased() == "chunked" })
  }

  @Test("Its logins take the right password alone")
  func logins() async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
    var request = URLRequest(url: server.url())
    request.setValue("Basic YW5uOnJpZ2h0", forHTTPHeaderField: "Authorization")
    let (data, _) = try await session.data(for: request)
    #expect(String(decoding: data, as: UTF8.self) == "OK ann")
    #expect(ScriptedLogin.basicUser(of: "Basic YW5uOnJpZ2h0", ["ann": "wrong"]) == nil)
  }
}
