import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing
import URLSessionTesting
import VaultModel

@testable import VaultURLSession

extension VaultURLProtocolTests {
  @Suite("Redirects, cookies, limits and errors") struct SettingsTests {
    let client: ProtocolClient

    init() throws { client = try ProtocolClient() }

    @Test("a redirect is followed as the delegate says, and with the cookies of its URL")
    func redirects() async throws {
      let server = try ScriptedServer { request in
        guard request.target == "/first" else { return .text(request["Cookie"] ?? "no cookie") }
        var response = ScriptedResponse.redirect(to: "/second")
        response.fields.append((name: "Set-Cookie", value: "crumb=1; Path=/"))
        return response
      }
      let (data, response) = try await client.session.data(from: server.url("/first"))
      #expect(data.text == "crumb=1" && response.url == server.url("/second"))
      let delegate = WatchingDelegate(redirect: { _ in nil })
      let end = await delegate.run(client.session(delegate).dataTask(with: server.url("/first")))
      #expect(end.status == 302 && end.text == "moved" && end.redirects == ["302 /second"])
    }

    @Test("twenty redirects are followed, and no more")
    func endless() async throws {
      let server = try ScriptedServer { .redirect(to: $0.target + "x") }
      let error = await #expect(throws: URLError.self) {
        _ = try await client.session.data(from: server.url())
      }
      #expect(error?.code == .httpTooManyRedirects)
      #expect(server.requests.count == 21)
    }

    @Test("what is for one origin does not go to another")
    func origins() async throws {
      let other = try ScriptedServer { request in
        .text([request.authorization, request["Cookie"]].compactMap(\.self).joined())
      }
      let server = try ScriptedServer { _ in .redirect(to: "\(other.url("/"))") }
      var request = URLRequest(url: server.url())
      request.setValue("Bearer mine", forHTTPHeaderField: "Authorization")
      request.setValue("mine=1", forHTTPHeaderField: "Cookie")
      let (data, response) = try await client.session.data(for: request)
      #expect(response.url == other.url("/") && data.isEmpty)
    }

    @Test("the configuration's fields are sent, unless the request has its own")
    func fields() async throws {
      let server = try ScriptedServer { request in
        .text("\(request["X-One"] ?? "") \(request["X-Two"] ?? "")")
      }
      client.configuration.httpAdditionalHeaders = ["X-One": "one", "X-Two": "two"]
      var request = URLRequest(url: server.url())
      request.setValue("own", forHTTPHeaderField: "X-Two")
      #expect(try await client.session.data(for: request).0.text == "one own")
    }

    @Test("a silent server is given up: after the request's limit, and after the resource's")
    func limits() async throws {
      let gate = DispatchSemaphore(value: 0)
      defer { for _ in 0..<2 { gate.signal() } }
      let server = try ScriptedServer { _ in
        gate.wait()
        return .dropped
      }
      var request = URLRequest(url: server.url())
      request.timeoutInterval = 0.2
      let slow = await #expect(throws: URLError.self) {
        _ = try await client.session.data(for: request)
      }
      #expect(slow?.code == .timedOut)
      client.configuration.timeoutIntervalForResource = 0.2
      let long = await #expect(throws: URLError.self) {
        _ = try await client.session.data(from: server.url())
      }
      #expect(long?.code == .timedOut)
    }

    @Test("a question to the delegate does not count for the resource's limit")
    func question() async throws {
      let server = try ScriptedServer(ScriptedLogin.digest(["ann": "right"]))
      client.configuration.timeoutIntervalForResource = 15
      let slow = WatchingDelegate { _ in
        Thread.sleep(forTimeInterval: 16)
        return (
          .useCredential, URLCredential(user: "ann", password: "right", persistence: .forSession)
        )
      }
      let end = await slow.run(client.session(slow).dataTask(with: server.url()))
      #expect(end.text == "OK ann" && end.error == nil)
    }

    @Test("errors are those that code for URLSession expects")
    func errors() async throws {
      let closed = try ScriptedServer { _ in .text("") }.url()
      let refused = await #expect(throws: URLError.self) {
        _ = try await client.session.data(from: closed)
      }
      #expect(refused?.code == .cannotConnectToHost && refused?.failingURL == closed)
      let server = try ScriptedServer { _ in .dropped }
      let lost = await #expect(throws: URLError.self) {
        _ = try await client.session.data(from: server.url())
      }
      #expect(lost?.code == .networkConnectionLost)
    }

    @Test("progress is told: of an upload, and of a download")
    func progress() async throws {
      let server = try ScriptedServer { _ in
        var response = ScriptedResponse.text("")
        response.body = [UInt8](repeating: 7, count: 1 << 20)
        return response
      }
      let uploading = WatchingDelegate()
      var request = URLRequest(url: server.url())
      request.httpMethod = "PUT"
      let upload = client.session(uploading).uploadTask(
        with: request, from: Data(repeating: 1, count: 1 << 20))
      let sent = await uploading.run(upload).sent
      #expect(sent.last == 1 << 20 && sent == sent.sorted())
      #expect(upload.progress.completedUnitCount == 1 << 21)
      let downloading = WatchingDelegate()
      let end = await downloading.run(
        client.session(downloading).downloadTask(with: server.url()))
      #expect(end.written.last == 1 << 20 && end.file?.count == 1 << 20)
      // Without a delegate, the task itself still knows.
      let alone = Lock<URLSessionTask?>(nil)
      await withCheckedContinuation { continuation in
        let task = client.session.dataTask(with: server.url()) { _, _, _ in continuation.resume() }
        alone.withLock { $0 = task }
        task.resume()
      }
      #expect(alone.withLock { $0?.progress.completedUnitCount } == 1 << 20)
    }

    @Test("the delegate is asked when the vault has no answer, and can answer or cancel")
    func challenges() async throws {
      let server = try ScriptedServer(ScriptedLogin.digest(["ann": "right"]))
      let answering = WatchingDelegate { challenge in
        let password = challenge.previousFailureCount == 0 ? "wrong" : "right"
        return (
          .useCredential,
          URLCredential(user: "ann", password: password, persistence: .forSession)
        )
      }
      let end = await answering.run(client.session(answering).dataTask(with: server.url()))
      #expect(end.text == "OK ann")
      #expect(end.challenges == [0, 1].map { "\(NSURLAuthenticationMethodHTTPDigest) \($0)" })
      // It was stored, and nobody is asked again.
      let silent = WatchingDelegate()
      let again = await silent.run(client.session(silent).dataTask(with: server.url()))
      #expect(again.text == "OK ann" && again.challenges.isEmpty)
      let other = try ScriptedServer(ScriptedLogin.digest(["ann": "right"]))
      let cancelling = WatchingDelegate { _ in (.cancelAuthenticationChallenge, nil) }
      let cancelled = await cancelling.run(
        client.session(cancelling).dataTask(with: other.url()))
      #expect((cancelled.error as? URLError)?.code == .cancelled)
      let declining = WatchingDelegate()
      let declined = await declining.run(client.session(declining).dataTask(with: other.url()))
      #expect(declined.status == 401 && declined.error == nil)
    }
  }
}
