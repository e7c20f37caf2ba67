import CSlowNames
import CredentialVault
import Foundation
import SecureMemory
import TestSupport
import Testing
import URLSessionTesting
import VaultModel
import VaultTransport

/// Requests that are cancelled at any moment: no trap, no hang, and nothing is left.
@Suite("Cancellation") struct CancellationTests {
  /// The descriptors and threads of this process.
  private static func resources() throws -> (descriptors: Int, threads: Int) {
    let files = FileManager.default
    return (
      try files.contentsOfDirectory(atPath: "/proc/self/fd").count,
      try files.contentsOfDirectory(atPath: "/proc/self/task").count
    )
  }

  @Test("cancelled before, during and after, a request ends at once, and others go on")
  func moments() async throws {
    let holds = try RawServer { connection in
      guard let head = connection.head() else { return }
      if head.contains("/body") {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
      }
      connection.waitForEnd()
    }
    let transport = try TransferTests.transport()
    for path in ["/head", "/body"] {
      let task = Task { try await transport.data(for: TransportRequest(holds.url(path))) }
      // Some of the time the request has begun, and some not.
      await Task.yield()
      task.cancel()
      await #expect(throws: VaultError(.interrupted, "")) { _ = try await task.value }
    }
    let response = try await transport.send(TransportRequest(holds.url("/body")))
    let reader = Task { try await response.body.collect() }
    reader.cancel()
    await #expect(throws: VaultError(.interrupted, "")) { _ = try await reader.value }
  }

  @Test("a response that nobody reads is cancelled when it is released")
  func released() async throws {
    let ended = Lock(0)
    let server = try RawServer { connection in
      guard connection.head() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
      connection.waitForEnd()
      ended.withLock { $0 += 1 }
    }
    let transport = try TransferTests.transport()
    for _ in 0..<3 { _ = try await transport.send(TransportRequest(server.url())) }
    while ended.withLock(\.self) < 3 { await Task.yield() }
  }

  @Test("a name that is being resolved delays neither its cancellation nor other requests")
  func slowName() async throws {
    let server = try ScriptedServer { _ in .text("here") }
    let transport = try TransferTests.transport()
    let begun = slow_names_begun()
    let task = Task { try await transport.visit(TransportRequest("http://a.slow.test/")) }
    while slow_names_begun() == begun { await Task.yield() }
    #expect(try await transport.visit(TransportRequest("\(server.url())")).body == "here")
    // The lookup ends only after the request has.
    task.cancel()
    await #expect(throws: VaultError(.interrupted, "")) { _ = try await task.value }
    #expect(try await transport.visit(TransportRequest("\(server.url())")).body == "here")
    slow_names_end()
    #expect(
      try await failure {
        _ = try await transport.visit(TransportRequest("http://b.slow.test/"))
      } == EHOSTUNREACH)
  }

  @Test(
    "of 1,000 requests, 50 at once, 30 % and 80 % are cancelled at random instants",
    arguments: [30, 80])
  func random(percent: Int) async {
    await #expect(processExitsWith: .success) { [percent] in
      let server = try ScriptedServer { request in
        var response = ScriptedResponse.text("")
        response.body = [UInt8](repeating: 1, count: request.target == "/large" ? 1 << 20 : 100)
        return response
      }
      let transport = try TransferTests.transport()
      _ = try await transport.visit(TransportRequest("\(server.url())"))
      let before = try Self.resources()
      let results = try await withThrowingTaskGroup(of: Bool.self) { group in
        var generator = SplitMix(seed: UInt64(percent))
        var (done, cancelled) = (0, 0)
        for index in 0..<1000 {
          let url = "\(server.url(index % 10 == 0 ? "/large" : "/small"))"
          let delay =
            Int.random(in: 0..<100, using: &generator) < percent
            ? Int.random(in: 0..<3000, using: &generator) : nil
          if index >= 50, let isDone = try await group.next() {
            if isDone { done += 1 } else { cancelled += 1 }
          }
          group.addTask {
            let task = Task { try await transport.data(for: TransportRequest(url)) }
            if let delay {
              try await Task.sleep(for: .microseconds(delay))
              task.cancel()
            }
            do {
              return try await task.value.1.count >= 100
            } catch VaultError.Code.interrupted {
              return false
            }
          }
        }
        for try await isDone in group { if isDone { done += 1 } else { cancelled += 1 } }
        return (done, cancelled)
      }
      precondition(results.0 + results.1 == 1000 && results.1 > 0, "\(results)")
      // The transport still works, and the server's threads end with their connections.
      _ = try await transport.visit(TransportRequest("\(server.url())"))
      while true {
        let after = try Self.resources()
        if after.descriptors <= before.descriptors + 12, after.threads <= before.threads + 12 {
          break
        }
        await Task.yield()
      }
    }
  }
}
