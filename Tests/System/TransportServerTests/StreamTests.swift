import CTLSClient
import Testing

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
