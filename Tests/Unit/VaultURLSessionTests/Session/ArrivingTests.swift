import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing
import URLSessionTesting
import VaultModel
import VaultTransport

@testable import VaultURLSession

@Suite("AuthenticatedSession: bytes, streams, progress", .timeLimit(.minutes(5)))
struct ArrivingTests {
  private static let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })

  private func put(_ server: ScriptedServer) -> URLRequest {
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    return request
  }

  @Test("the bytes of a response are all of it, in order", arguments: Engine.allCases)
  func bytes(_ engine: Engine) async throws {
    let server = try ScriptedServer(
      ScriptedLogin.basic(["ann": "right"]) { _, _ in
        var response = ScriptedResponse.text("")
        response.body = Array(Self.body)
        return response
      })
    let client = try Client(engine)
    try client.store(at: server)
    let (bytes, response) = try await client.session.bytes(from: server.url())
    var read = Data()
    for try await byte in bytes { read.append(byte) }
    #expect(response.status == 200 && read == Self.body)
    var reader = try await client.session.bytes(from: server.url()).0.makeAsyncIterator()
    var pieces = Data([try #require(try await reader.next())])
    while let piece = try await reader.nextPiece() { pieces += piece }
    #expect(pieces == Self.body)
  }

  @Test("a response is returned when it begins, and a body that breaks off is its bytes' error")
  func broken() async throws {
    let server = try ScriptedServer { _ in
      var response = ScriptedResponse.text("half")
      response.breaksOff = true
      return response
    }
    let (bytes, response) = try await Client(.transport).session.bytes(from: server.url())
    #expect(response.status == 200)
    var reader = bytes.makeAsyncIterator()
    var read: [UInt8] = []
    let error = await #expect(throws: URLError.self) {
      while let byte = try await reader.next() { read.append(byte) }
    }
    #expect(error?.code == .networkConnectionLost && read == Array("half".utf8))
  }

  @Test("a stream is opened each time that its body is sent", arguments: Engine.allCases)
  func stream(_ engine: Engine) async throws {
    let server = try ScriptedServer(
      ScriptedLogin.basic(["ann": "right"]) { request, _ in .text("\(request.body.count)") })
    let client = try Client(engine)
    try client.store(at: server)
    let opened = Lock(0)
    for length in [nil, Int64(Self.body.count)] {
      let (data, _) = try await client.session.upload(for: put(server), length: length) {
        opened.withLock { $0 += 1 }
        return InputStream(data: Self.body)
      }
      #expect(data.text == "300000")
    }
    #expect(server.requests.allSatisfy { $0.body == Array(Self.body) })
    // Once for each request of the transport: the first was challenged.
    #expect(opened.withLock { $0 } == (engine == .transport ? 3 : 2))
  }

  @Test("a stream that cannot be opened is its own error", arguments: Engine.allCases)
  func unopened(_ engine: Engine) async throws {
    let server = try ScriptedServer { _ in .text("no") }
    let request = put(server)
    await #expect(throws: URLError(.cannotOpenFile)) {
      try await Client(engine).session.upload(for: request) { throw URLError(.cannotOpenFile) }
    }
    #expect(server.requests.isEmpty)
  }

  @Test("progress is told of what is sent and of what arrives")
  func progress() async throws {
    let server = try ScriptedServer { request in
      var response = ScriptedResponse.text("")
      response.body = request.body
      return response
    }
    let told = Lock<[TransportProgress]>([])
    let session = try Client(.transport).session.with { progress in
      told.withLock { $0.append(progress) }
    }
    _ = try await session.upload(for: put(server), from: Self.body)
    let last = try #require(told.withLock { $0.last })
    #expect(last.sent == 300_000 && last.expectedToSend == 300_000)
    #expect(last.received == 300_000 && last.expectedToReceive == 300_000)
  }
}
