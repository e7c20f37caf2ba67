import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing
import URLSessionTesting
import VaultModel

@testable import VaultURLSession

/// Tests of the protocol, one at a time: Foundation makes its objects, so the class has the state.
@Suite("URLSession over the transport", .serialized) struct VaultURLProtocolTests {}

extension VaultURLProtocolTests {
  @Suite("Tasks") struct TaskKindTests {
    let client: ProtocolClient
    /// It requires Basic, and answers with method, path and body.
    let server: ScriptedServer

    init() throws {
      client = try ProtocolClient()
      server = try ScriptedServer(
        ScriptedLogin.basic(["ann": "right"]) { request, user in
          .text("\(user) \(request.method) \(String(decoding: request.body, as: UTF8.self))")
        })
      try client.store(at: server)
    }

    private func request(_ method: String, _ path: String = "/page") -> URLRequest {
      var request = URLRequest(url: server.url(path))
      request.httpMethod = method
      return request
    }

    @Test("a data task logs in: with a handler, a delegate, and async")
    func data() async throws {
      let (data, response) = try await client.session.data(from: server.url("/page"))
      #expect(data.text == "ann GET " && response.status == 200)
      #expect(response.url == server.url("/page"))
      let text = await withCheckedContinuation { continuation in
        client.session.dataTask(with: server.url("/page")) { data, _, _ in
          continuation.resume(returning: data?.text)
        }.resume()
      }
      #expect(text == "ann GET ")
      let delegate = WatchingDelegate()
      let end = await delegate.run(
        client.session(delegate).dataTask(with: server.url("/page")))
      #expect(end.text == "ann GET " && end.status == 200 && end.error == nil)
    }

    @Test("a body is sent with each attempt: of the request, in memory, of a file")
    func uploads() async throws {
      var posted = request("POST")
      posted.httpBody = Data("body".utf8)
      #expect(try await client.session.data(for: posted).0.text == "ann POST body")
      // Another session knows of no success, and is challenged.
      let body = Data("body".utf8)
      #expect(
        try await client.session.upload(for: request("PUT"), from: body).0.text == "ann PUT body")
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
      try body.write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      #expect(
        try await client.session.upload(for: request("PUT"), fromFile: file).0.text
          == "ann PUT body")
    }

    @Test("a streamed body comes from the delegate, again after a challenge")
    func stream() async throws {
      let given = Lock(0)
      let delegate = WatchingDelegate(stream: {
        given.withLock { $0 += 1 }
        return InputStream(data: Data("streamed".utf8))
      })
      let end = await delegate.run(
        client.session(delegate).uploadTask(withStreamedRequest: request("PUT")))
      #expect(end.text == "ann PUT streamed")
      #expect(given.withLock(\.self) == 2)
      #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) }.last == "streamed")
    }

    @Test("a download is a file: with a handler, a delegate, and async")
    func downloads() async throws {
      let (file, response) = try await client.session.download(from: server.url("/page"))
      #expect(try Data(contentsOf: file).text == "ann GET " && response.status == 200)
      try FileManager.default.removeItem(at: file)
      let text = await withCheckedContinuation { continuation in
        client.session.downloadTask(with: server.url("/page")) { file, _, _ in
          let text = file.flatMap { try? Data(contentsOf: $0).text }
          continuation.resume(returning: text)
        }.resume()
      }
      #expect(text == "ann GET ")
      let delegate = WatchingDelegate()
      let end = await delegate.run(
        client.session(delegate).downloadTask(with: server.url("/page")))
      #expect(end.file?.text == "ann GET " && end.error == nil)
    }

    @Test("the shared session uses it after one line")
    func shared() async throws {
      await #expect(processExitsWith: .success) {
        let client = try ProtocolClient()
        let server = try ScriptedServer(ScriptedLogin.digest(["ann": "right"]))
        try client.store(at: server)
        // Any session that was there before puts Foundation's own protocol first.
        let other = try ScriptedServer { _ in .text("") }
        _ = try await URLSession(configuration: .default).data(from: other.url())
        VaultURLProtocol.share(try #require(WatchedProtocol.transport))
        let configuration = URLSession.shared.configuration
        configuration.protocolClasses =
          [VaultURLProtocol.self] + (configuration.protocolClasses ?? [])
        let (data, _) = try await URLSession.shared.data(from: server.url())
        precondition(data.text == "OK ann", data.text)
      }
    }

    @Test("a class without a transport, and a Foundation without a name, fail with a clear error")
    func missing() async throws {
      WatchedProtocol.reset(nil)
      let error = await #expect(throws: URLError.self) {
        _ = try await client.session.data(from: server.url())
      }
      #expect(error?.code == .unsupportedURL)
      #expect(error?.localizedDescription.contains("WatchedProtocol has no transport") == true)
      for make in [
        { try FoundationFields(task: ("gone", "workQueue", "knownBody")) },
        { try FoundationFields(task: ("session", "gone", "knownBody")) },
        { try FoundationFields(task: ("session", "workQueue", "gone")) },
        { try FoundationFields(properties: "gone") },
        // There, but of another type.
        { try FoundationFields(task: ("session", "taskIdentifier", "knownBody")) },
        { try FoundationFields(properties: "_client") },
      ] as [() throws -> FoundationFields] {
        let error = #expect(throws: URLError.self) { _ = try make() }
        #expect(error?.code == .unsupportedURL)
        #expect(error?.localizedDescription.contains("cannot work with this Foundation") == true)
      }
    }
  }

  @Suite("The rules of delivery") struct DeliveryTests {
    let client: ProtocolClient

    init() throws { client = try ProtocolClient() }

    private static func large() throws -> ScriptedServer {
      try ScriptedServer { _ in
        var response = ScriptedResponse.text("")
        response.body = [UInt8](repeating: 7, count: 1 << 21)
        return response
      }
    }

    @Test("Foundation is called on the task's queue only, and ends once, with nothing after it")
    func queue() async throws {
      let server = try Self.large()
      let delegate = WatchingDelegate()
      _ = await delegate.run(client.session(delegate).dataTask(with: server.url()))
      _ = try await client.session.data(from: server.url())
      let calls = WatchedProtocol.calls
      #expect(!calls.isEmpty && calls.allSatisfy(\.isOnQueue))
      #expect(calls.first?.name == "response")
      #expect(calls.last?.name == "end" && calls.filter { $0.name == "end" }.count == 2)
    }

    @Test("after the end Foundation finds no client, so that a late cancellation does not trap")
    func late() async throws {
      await #expect(processExitsWith: .success) {
        let client = try ProtocolClient()
        let server = try ScriptedServer { _ in .text("x") }
        let session = client.session
        for _ in 0..<300 {
          let task: URLSessionDataTask = await withCheckedContinuation { continuation in
            let box = Lock<URLSessionDataTask?>(nil)
            let task = session.dataTask(with: server.url()) { _, _, _ in
              while true {
                guard let task = box.withLock({ $0.take() }) else { continue }
                task.cancel()
                return continuation.resume(returning: task)
              }
            }
            box.withLock { $0 = task }
            task.resume()
          }
          task.cancel()
        }
        let calls = WatchedProtocol.calls
        let ends = calls.filter { $0.name == "end" }
        precondition(Set(ends.map(\.task)).count == ends.count, "\(ends.count)")
      }
    }

    @Test("a task that its delegate cancels when it is told of the end does not end again")
    func cancelledAtItsEnd() async throws {
      final class Canceller: NSObject, URLSessionDataDelegate {
        let end = AsyncStream.makeStream(of: Void.self)
        func urlSession(
          _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
          task.cancel()
          end.continuation.finish()
        }
      }
      let server = try ScriptedServer { _ in .text("x") }
      let delegate = Canceller()
      let task = client.session(delegate).dataTask(with: server.url())
      task.resume()
      for await _ in delegate.end.stream {}
      // Foundation asks the task's queue, and so waits for what the cancellation began.
      _ = task.priority
      #expect(WatchedProtocol.calls.filter { $0.name == "end" }.count == 1)
    }

    @Test("a handler gets one piece, and a delegate each as it arrives")
    func pieces() async throws {
      let server = try Self.large()
      let (data, _) = try await client.session.data(from: server.url())
      #expect(data.count == 1 << 21)
      #expect(WatchedProtocol.calls.filter { $0.name == "data" }.count == 1)
      let delegate = WatchingDelegate()
      let end = await delegate.run(client.session(delegate).dataTask(with: server.url()))
      #expect(end.pieces.count > 1)
      #expect(end.pieces.reduce(0) { $0 + $1.count } == 1 << 21)
    }

    @Test("a 401 with Basic that nobody answers is a response, hidden from Foundation by a blank")
    func unanswered() async throws {
      let server = try ScriptedServer { _ in .challenge("Basic realm=\"Team\"") }
      let (data, response) = try await client.session.data(from: server.url())
      #expect(data.text == "unauthorized" && response.status == 401)
      let field = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "WWW-Authenticate")
      #expect(field?.contains("Basic realm=\"Team\"") == true)
      let delegate = WatchingDelegate()
      let end = await delegate.run(client.session(delegate).dataTask(with: server.url()))
      #expect(end.status == 401 && end.text == "unauthorized" && end.error == nil)
      #expect(WatchedProtocol.calls.allSatisfy { $0.name != "challenge" })
    }

    @Test("no handler is called within a cancellation")
    func inline() async throws {
      let server = try ScriptedServer { _ in .text("x") }
      _ = try await client.session.data(from: server.url())
      _ = try await client.session.download(from: server.url())
      #expect(WatchedProtocol.isInline == [false, false])
    }

    @Test("a suspended task goes on where it stopped")
    func suspended() async throws {
      let server = try Self.large()
      let delegate = WatchingDelegate()
      let task = client.session(delegate).dataTask(with: server.url())
      task.resume()
      task.suspend()
      let end = await delegate.run(task)
      #expect(end.pieces.reduce(0) { $0 + $1.count } == 1 << 21)
      #expect(server.requests.count == 1)
    }
  }
}
