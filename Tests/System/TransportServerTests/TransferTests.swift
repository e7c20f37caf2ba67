import CredentialVault
import Foundation
import HTTPAuthentication
import SecureMemory
import TestSupport
import Testing
import URLSessionTesting
import VaultModel
import VaultTransport

/// Transfers from servers that behave as no good one does.
@Suite("Transfers") struct TransferTests {
  static func transport(
    _ change: (inout Transport.Configuration) -> Void = { _ in }
  ) throws -> Transport {
    var configuration = Transport.Configuration()
    configuration.proxy = .none
    change(&configuration)
    return try Transport(vault: Vault.inMemory(), configuration: configuration)
  }

  private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\na page"

  @Test("a connection is used again, and one that broke is replaced, with the whole body")
  func keptConnection() async throws {
    let bodies = Lock<[[UInt8]]>([])
    let server = try RawServer { connection in
      // One request for each connection, which then breaks without a word.
      guard let head = connection.head() else { return }
      let count = head.firstRange(of: "Content-Length: ").flatMap {
        Int(head[$0.upperBound...].prefix { $0.isNumber })
      }
      bodies.withLock { $0.append(connection.body(count ?? 0)) }
      connection.send(Self.answer)
    }
    let transport = try Self.transport()
    let content = [UInt8](repeating: 7, count: 300_000)
    for index in 0..<4 {
      var request = try TransportRequest("POST", server.url())
      request.body =
        index % 2 == 0
        ? .bytes(content)
        : .stream(length: 300_000) {
          AsyncThrowingStream { continuation in
            continuation.yield(content)
            continuation.finish()
          }
        }
      let visit = try await transport.visit(request)
      #expect(visit.body == "a page")
    }
    #expect(bodies.withLock { $0.filter { $0 == content }.count } == 4)
  }

  @Test("a body that was sent on a connection that broke is sent again, from its beginning")
  func brokenWithin() async throws {
    let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 1000) }
    let bodies = Lock<[[UInt8]]>([])
    let server = try RawServer { connection in
      guard let head = connection.head() else { return }
      let body = head.hasPrefix("PUT") ? connection.body(300_000) : []
      bodies.withLock { $0.append(body) }
      connection.send(Self.answer)
      // The next request is read, and not answered.
      guard connection.head() != nil else { return }
      _ = connection.body(300_000)
    }
    let transport = try Self.transport()
    _ = try await transport.visit(TransportRequest(server.url("/first")))
    var request = try TransportRequest("PUT", server.url("/second"))
    request.body = .stream(length: 300_000) {
      AsyncThrowingStream { continuation in
        for start in stride(from: 0, to: content.count, by: 10_000) {
          continuation.yield(Array(content[start..<start + 10_000]))
        }
        continuation.finish()
      }
    }
    #expect(try await transport.visit(request).body == "a page")
    #expect(bodies.withLock { $0 == [[], content] })
  }

  @Test("fields, methods and empty bodies arrive as they are, and the response's fields come back")
  func fields() async throws {
    let server = try ScriptedServer { _ in
      var response = ScriptedResponse(200, ["X-One": "1", "x-two": "a, b"], "text")
      response.fields.append((name: "X-One", value: "2"))
      return response
    }
    let transport = try Self.transport {
      $0.fields = [.init("X-General", "g"), .init("X-Own", "not sent")]
    }
    for method in ["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PURGE"] {
      var request = try TransportRequest(method, "http://127.0.0.1:\(server.port)/p/ä?q=ü")
      request.fields = [.init("X-Own", "o"), .init("X-Empty", "")]
      let visit = try await transport.visit(request)
      #expect(visit.body == (method == "HEAD" ? "" : "text"))
      let values = visit.response.head.fields.filter { $0.name.lowercased() == "x-one" }
      #expect(values.map(\.value) == ["1", "2"])
    }
    #expect(server.requests.map(\.method) == ["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PURGE"])
    for request in server.requests {
      #expect(request.target == "/p/%C3%A4?q=%C3%BC")
      #expect(request["X-Own"] == "o" && request["X-Empty"] == "" && request["X-General"] == "g")
      #expect(request["Content-Length"] == (request.method == "POST" ? "0" : nil))
    }
    // The socket of one request is that of the next.
    #expect(server.connections == 1)
  }

  @Test("a field or method that would end its line is refused")
  func injection() async throws {
    let transport = try Self.transport()
    for (name, value) in [("X\r\nY", ""), ("X", "a\r\nY: b"), ("X", "a\u{0}"), ("", "a")] {
      var request = try TransportRequest("GET", "http://127.0.0.1:1/")
      request.fields = [.init(name, value)]
      await #expect(throws: VaultError(.invalidArgument, "")) {
        _ = try await transport.send(request)
      }
    }
    await #expect(throws: VaultError(.invalidArgument, "")) {
      _ = try await transport.send(TransportRequest("GET / HTTP/1.1\r\nX:", "http://127.0.0.1:1/"))
    }
  }

  @Test("a server that closes in the middle, sends garbage, or nothing, is an error")
  func brokenServers() async throws {
    for (answer, expected) in [
      ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", VaultError.Code.unavailable),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal", .unavailable),
      ("", .unavailable), ("\u{1}\u{2}garbage\r\n\r\n", .invalidData),
      ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnogz", .invalidData),
    ] {
      let server = try RawServer { connection in
        guard connection.head() != nil else { return }
        connection.send(answer)
      }
      await #expect(throws: VaultError(expected, ""), "\(answer)") {
        _ = try await Self.transport().visit(TransportRequest(server.url()))
      }
    }
    #expect(
      try await failure {
        _ = try await Self.transport().visit(TransportRequest("http://127.0.0.1:1/"))
      } == ECONNREFUSED)
  }

  @Test("limits end a server that stalls, before its response and within; a slow reader is not one")
  func limits() async throws {
    for answer in ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"] {
      let server = try RawServer { connection in
        guard connection.head() != nil else { return }
        connection.send(answer)
        connection.waitForEnd()
      }
      for limits in [
        TimeLimits(idle: .milliseconds(200)), TimeLimits(idle: nil, total: .milliseconds(200)),
      ] {
        var request = try TransportRequest(server.url())
        request.limits = limits
        let transport = try Self.transport()
        #expect(try await failure { _ = try await transport.visit(request) } == ETIMEDOUT)
      }
    }
    let whole = [UInt8](repeating: 1, count: 3 << 20)
    let server = try RawServer { connection in
      guard connection.head() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(whole.count)\r\n\r\n")
      connection.send(whole)
    }
    var request = try TransportRequest(server.url())
    request.limits = TimeLimits(idle: .seconds(5))
    let response = try await Self.transport().send(request)
    // The time that the limit allows a server passes twice.
    try await Task.sleep(for: .seconds(11))
    #expect(try await response.body.collect() == whole)
  }

  @Test("a body is decoded, and progress counts what was sent and received")
  func progress() async throws {
    let server = try ScriptedServer { request in
      var response = ScriptedResponse.text("")
      response.body = request.body
      return response
    }
    let seen = Lock<[TransportProgress]>([])
    var request = try TransportRequest("POST", "\(server.url())")
    request.body = .bytes([UInt8](repeating: 1, count: 200_000))
    request.handlers.progress = { progress in seen.withLock { $0.append(progress) } }
    let visit = try await Self.transport().visit(request)
    #expect(visit.body.utf8.count == 200_000)
    let last = try #require(seen.withLock(\.last))
    #expect(last.sent == 200_000 && last.expectedToSend == 200_000)
    #expect(last.received == 200_000 && last.expectedToReceive == 200_000)
    #expect(seen.withLock(\.count) > 2)
  }

  @Test("redirects change the method, drop the body and end at their limit")
  func redirects() async throws {
    let server = try ScriptedServer { request in
      switch request.target {
      case "/a/302": .redirect(302, to: "../b/./end?x#f")
      case "/a/307": .redirect(307, to: "/b/end?x")
      case "/loop": .redirect(302, to: "/loop")
      case "/elsewhere": .redirect(302, to: "ftp://127.0.0.1/")
      default: .text("\(request.method) \(request.body.count)")
      }
    }
    let transport = try Self.transport { $0.mostRedirects = 5 }
    for (path, expected) in [("/a/302", "GET 0"), ("/a/307", "POST 3")] {
      var request = try TransportRequest("POST", "\(server.url(path))")
      request.body = .bytes([1, 2, 3])
      let visit = try await transport.visit(request)
      #expect(visit.body == expected && visit.response.url.target == "/b/end?x")
    }
    await #expect(throws: VaultError(.unavailable, "")) {
      _ = try await transport.visit(TransportRequest("\(server.url("/loop"))"))
    }
    #expect(server.requests.count { $0.target == "/loop" } == 6)
    let foreign = try await transport.visit(TransportRequest("\(server.url("/elsewhere"))"))
    #expect(foreign.response.status == 302)
    var held = try TransportRequest("\(server.url("/a/302"))")
    held.handlers.redirect = { _, _, _ in nil }
    #expect(try await transport.visit(held).response.status == 302)
  }

  @Test("a download goes to a new file, which a failure removes")
  func download() async throws {
    let folder = try TemporaryFolder()
    let whole = [UInt8](repeating: 9, count: 1 << 20)
    let server = try RawServer { connection in
      guard let head = connection.head() else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(whole.count)\r\n\r\n")
      connection.send(head.contains("/half") ? Array(whole.prefix(1000)) : whole)
    }
    let transport = try Self.transport()
    let path = folder.file("whole")
    let response = try await transport.download(TransportRequest(server.url("/")), to: path)
    #expect(response.status == 200)
    #expect(try folder.bytes(path) == whole)
    await #expect(throws: VaultError(.cannotCreate, "")) {
      _ = try await transport.download(TransportRequest(server.url("/")), to: path)
    }
    let half = folder.file("half")
    await #expect(throws: VaultError(.unavailable, "")) {
      _ = try await transport.download(TransportRequest(server.url("/half")), to: half)
    }
    #expect(!FileManager.default.fileExists(atPath: half))
  }
}
