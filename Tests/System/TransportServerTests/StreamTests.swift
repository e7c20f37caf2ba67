import CTLSClient
import CVault
import CredentialVault
import HTTPTesting
import ProgramTesting
import SecureMemory
import Testing
import VaultModel

@testable import VaultC

/// What a stream of `CFHTTPStream.h` gave to a program in C.
private struct Streamed {
  let status: Int
  let state: Int
  let error: [Int]
  let count: Int
  let body: String
  let path: String
  let requests: Int
  let method: String

  /// Requests a URL by streams.
  init(
    _ url: String, user: String? = nil, password: String? = nil, follows: Bool = false,
    body: String? = nil, isStreamed: Bool = false, vault: Vault? = nil, most: Int = 0
  ) {
    // A handle of the C library, whose owner is this function; the vault stays open.
    let handle = unsafe vault.flatMap { unsafe VaultHandle($0).givenOut() }
    defer { unsafe VaultCFRelease(UnsafeRawPointer(handle)) }
    // The texts are C strings for the call.
    var reply = unsafe stream_get(
      url, user, password, follows ? 1 : 0, body, isStreamed ? 1 : 0, UnsafeRawPointer(handle),
      most)
    status = Int(reply.status)
    state = Int(reply.state)
    error = [Int(reply.domain), Int(reply.error)]
    count = Int(reply.count)
    requests = Int(reply.requests)
    // All are C strings within the reply.
    self.body = unsafe withUnsafeBytes(of: &reply.body) { unsafe Self.text($0) }
    path = unsafe withUnsafeBytes(of: &reply.url) { unsafe Self.text($0) }
    method = unsafe withUnsafeBytes(of: &reply.method) { unsafe Self.text($0) }
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  // Apple's numbers of the states.
  static let (atEnd, closed, failed) = (5, 6, 7)
}

/// Streams of requests in C, by Apple's names, at servers that do as they are told.
@Suite("CFReadStream") struct StreamTests {
  @Test("gives a response, its body to the end, and no error")
  func body() throws {
    let length = 3_000_000
    let server = try RawServer { connection in
      while connection.head() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
        connection.send([UInt8](repeating: UInt8(ascii: "x"), count: length))
      }
    }
    let all = Streamed(server.url("/a?b=c"))
    #expect(all.status == 200 && all.state == Streamed.atEnd && all.error == [0, 0])
    #expect(all.count == length && all.body.hasPrefix("xxx") && all.path == "/a")
    // One that is closed says so, and its request ends.
    let part = Streamed(server.url(), most: 10)
    #expect(part.state == Streamed.closed && part.count < length)
    #expect(stream_check_unopened() == 0)
  }

  @Test("gives a response without a body")
  func empty() throws {
    let server = try RawServer { connection in
      while connection.head() != nil { connection.send("HTTP/1.1 204 No Content\r\n\r\n") }
    }
    let end = Streamed(server.url())
    #expect(end.status == 204 && end.state == Streamed.atEnd && end.count == 0)
  }

  @Test("sends a body from memory and of a stream", arguments: [false, true])
  func upload(isStreamed: Bool) throws {
    let server = try RawServer { connection in
      while let head = connection.head() {
        let isRight =
          head.hasPrefix("POST /to HTTP/1.1") && head.contains("\r\nContent-Length: 7\r\n")
        let text = String(decoding: connection.body(7), as: UTF8.self)
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n\(isRight ? text : "a wrong")")
      }
    }
    let end = Streamed(server.url("/to"), body: "all of ", isStreamed: isStreamed)
    #expect(end.status == 200 && end.body == "all of " && end.state == Streamed.atEnd)
  }

  @Test("follows redirects if it is told to, and not for ever")
  func redirect() throws {
    let server = try RawServer { connection in
      while let head = connection.head() {
        let answer =
          head.hasPrefix("GET /there ")
          ? "200 OK\r\nContent-Length: 2\r\n\r\nok"
          : "302 Found\r\nLocation: \(head.hasPrefix("GET /loop ") ? "/loop" : "/there")\r\n"
            + "Content-Length: 5\r\n\r\nmoved"
        connection.send("HTTP/1.1 \(answer)")
      }
    }
    let stays = Streamed(server.url("/here"))
    #expect(stays.status == 302 && stays.body == "moved" && stays.path == "/here")
    let goes = Streamed(server.url("/here"), follows: true)
    #expect(goes.status == 200 && goes.body == "ok" && goes.path == "/there")
    let loops = Streamed(server.url("/loop"), follows: true)
    #expect(loops.state == Streamed.failed && loops.error == [4, -2])
  }

  @Test("tells of a connection that was cut, of one that was refused, and of garbage")
  func failures() throws {
    let server = try RawServer { connection in
      guard let head = connection.head() else { return }
      connection.send(
        head.hasPrefix("GET /cut ")
          ? "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf" : "garbage\r\n\r\n")
    }
    let cut = Streamed(server.url("/cut"))
    #expect(cut.status == 200 && cut.body == "half" && cut.state == Streamed.failed)
    // ECONNRESET.
    #expect(cut.error == [1, 104])
    let garbage = Streamed(server.url())
    #expect(garbage.status == 0 && garbage.state == Streamed.failed && garbage.error[0] == 4)
    // ECONNREFUSED: nobody listens at the port of what has ended.
    let port = try RawServer { _ in }.port
    let refused = Streamed("http://127.0.0.1:\(port)/")
    #expect(refused.state == Streamed.failed && refused.error == [1, 111])
  }
}

extension TransportAtServers {
  /// Challenges, which are the program's as on Apple's systems, or the vault's.
  @Suite("CFReadStream at real servers")
  struct StreamLoginTests {
    @Test(
      "a challenge is answered by a CFHTTPAuthentication, which learns of a wrong password",
      arguments: [("basic", "Basic"), ("digest", "Digest")])
    func authentication(_ row: (folder: String, method: String)) throws {
      let client = try TransportClient()
      let url = client.url("\(row.folder)/1")
      let asked = Streamed(url)
      #expect(asked.status == 401 && asked.state == Streamed.atEnd && asked.requests == 1)
      let end = Streamed(url, user: "ann", password: "correct horse")
      #expect(end.status == 200 && end.body == Servers.page && end.requests == 2)
      #expect(end.method == row.method && end.error == [0, 0])
      let wrong = Streamed(url, user: "ann", password: "wrong")
      #expect(wrong.status == 401 && wrong.requests == 2)
    }

    @Test("the vault of a transport's settings answers first, and else it is the program's turn")
    func vault() throws {
      let client = try TransportClient()
      let url = client.url("basic/1")
      let end = Streamed(url, user: "ann", password: "correct horse", vault: client.vault)
      #expect(end.status == 200 && end.requests == 2)
      try client.store("ann", "correct horse", "Team Files")
      let known = Streamed(url, vault: client.vault)
      #expect(known.status == 200 && known.body == Servers.page && known.requests == 1)
    }
  }
}
