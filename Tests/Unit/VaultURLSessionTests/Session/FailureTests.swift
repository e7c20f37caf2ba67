import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import TestSupport
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

/// Every failure ends as an error that the session's own calls would throw, and never as a trap or
/// a hang.
@Suite("Failures", .timeLimit(.minutes(5))) struct FailureTests {
  private func error(_ body: () async throws -> Void) async -> URLError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? URLError)?.code
    }
  }

  @Test("an upload of a file that is not there is Foundation's error", arguments: Engine.allCases)
  func missingFile(_ engine: Engine) async throws {
    let server = try ScriptedServer { _ in .text("no") }
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    let upload = request
    let code = await error {
      _ = try await Client(engine).session.upload(
        for: upload, fromFile: URL(filePath: "/nonexistent/file"))
    }
    #expect(code != nil && server.requests.isEmpty)
  }

  @Test(
    "a GET with a body is Foundation's error, and sent by the transport", arguments: Engine.allCases
  )
  func bodyOfGET(_ engine: Engine) async throws {
    let server = try ScriptedServer { _ in .text("no") }
    var request = URLRequest(url: server.url())
    request.httpBody = Data("body".utf8)
    let get = request
    let code = await error { _ = try await Client(engine).session.data(for: get) }
    switch engine {
    case .transport: #expect(code == nil && server.requests.map(\.body) == [Array("body".utf8)])
    case .foundation: #expect(code == .dataLengthExceedsMaximum && server.requests.isEmpty)
    }
  }

  @Test("a URL that is none of HTTP's is loaded as Foundation does, and not by the transport")
  func data() async throws {
    let url = try #require(URL(string: "data:text/plain,hello"))
    let code = await error { _ = try await Client(.transport).session.data(from: url) }
    #expect(code == .unsupportedURL)
    let (data, response) = try await Client(.foundation).session.data(from: url)
    #expect(data.text == "hello" && response.status == 0)
  }

  @Test(
    "a scheme that nobody speaks, and a URL that can be no request's, are errors",
    arguments: Engine.allCases)
  func urls(_ engine: Engine) async throws {
    for (text, expected) in [
      ("foo://bar/", URLError.Code.unsupportedURL), ("file:///etc/hostname", .unsupportedURL),
      ("http:///x", .badURL), ("http://1.2.3/", .badURL), ("x/y", .unsupportedURL),
    ] {
      let url = try #require(URL(string: text))
      let code = await error { _ = try await Client(engine).session.data(from: url) }
      #expect(code == expected, "\(text)")
    }
  }

  @Test("a request without a URL is badURL", arguments: Engine.allCases)
  func noURL(_ engine: Engine) async throws {
    var request = URLRequest(url: URL(filePath: "/"))
    request.url = nil
    let none = request
    let code = await error { _ = try await Client(engine).session.data(for: none) }
    #expect(code == .badURL)
  }

  @Test(
    "a server that hangs up, and one that is not there, are Foundation's errors",
    arguments: Engine.allCases)
  func connections(_ engine: Engine) async throws {
    let server = try ScriptedServer { _ in .dropped }
    let code = await error { _ = try await Client(engine).session.data(from: server.url()) }
    #expect(code != nil)
  }

  @Test("a try that takes too long is timedOut", arguments: Engine.allCases)
  func timeout(_ engine: Engine) async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try ScriptedServer { _ in
      gate.wait()
      return .text("late")
    }
    defer { gate.signal() }
    var request = URLRequest(url: server.url())
    request.timeoutInterval = 1
    let late = request
    let code = await error { _ = try await Client(engine).session.data(for: late) }
    #expect(code == .timedOut)
  }

  @Test("a task that is cancelled before it begins sends nothing", arguments: Engine.allCases)
  func cancelledBefore(_ engine: Engine) async throws {
    let server = try ScriptedServer { _ in .text("no") }
    let client = try Client(engine)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await client.session.data(from: server.url())
    }
    task.cancel()
    await #expect(throws: URLError(.cancelled)) { try await task.value }
    #expect(server.requests.isEmpty)
  }

  @Test(
    "a task that is cancelled while somebody is asked ends as cancelled, and the prompt too",
    arguments: Engine.allCases)
  func cancelledWhileAsked(_ engine: Engine) async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(AuthenticatedSessionTests.users))
    let sleeper = UnansweringPrompt()
    let client = try Client(engine, prompt: sleeper)
    let task = Task { try await client.session.data(from: server.url()) }
    while !sleeper.isAsked, !Task.isCancelled { await Task.yield() }
    task.cancel()
    await #expect(throws: URLError(.cancelled)) { try await task.value }
  }

  @Test(
    "a vault that cannot keep what was accepted says so in the outcome", arguments: Engine.allCases)
  func storageError(_ engine: Engine) async throws {
    struct Once: CredentialPrompt {
      func answer(_ question: Question) async -> Answer {
        .use(Credential(user: "ann", secret: Secret("right"), persistence: .permanent))
      }
    }
    StateFolder.useOwn()
    let folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    let vault = try Vault.create(
      path: folder.file("vault/own.vault"), key: .keyFile(folder.file("key")), slotName: "own")
    let server = try ScriptedServer(
      ScriptedLogin.basic(AuthenticatedSessionTests.users) { _, user in
        do { try vault.lock() } catch { return .text("not locked") }
        return .text("OK \(user)")
      })
    let outcomes = Lock<[(String, Outcome)]>([])
    let session = try engine.session(by: Authenticator(vault: vault, prompt: Once())) {
      url, outcome in outcomes.withLock { $0.append((url.description, outcome)) }
    }
    let (data, _) = try await session.data(from: server.url("/x"))
    #expect(data.text == "OK ann")
    let (url, outcome) = try #require(outcomes.withLock { $0.first })
    #expect(url == server.url("/x").absoluteString && outcome.reason == .done)
    #expect(outcome.storageError == VaultError(.locked, ""))
  }

  @Test("an outcome's URL has no user and no password", arguments: Engine.allCases)
  func outcomeURL(_ engine: Engine) async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(AuthenticatedSessionTests.users))
    let hadUser = Lock<[Bool]>([])
    let session = try engine.session(by: Authenticator(vault: .inMemory())) { url, _ in
      hadUser.withLock { $0.append(url.user != nil || url.password != nil) }
    }
    let url = server.url("/x", user: "ann", password: "right")
    let (data, _) = try await session.data(from: url)
    #expect(data.text == "OK ann" && hadUser.withLock { $0 } == [false])
  }

  @Test("what a session is too late for that is ending ends as cancelled, and traps no process")
  func ending() async throws {
    let client = Client()
    let server = try ScriptedServer { [plain = try client.plain] request in
      // The answer to the challenge would be another task.
      plain.finishTasksAndInvalidate()
      return ScriptedLogin.basic(AuthenticatedSessionTests.users)(request)
    }
    try client.store(at: server)
    let code = await error { _ = try await client.session.data(from: server.url()) }
    #expect(code == .cancelled && server.schemes == [nil])
    let later: (any Error)? = await withCheckedContinuation { continuation in
      client.session.downloadTask(with: server.url()) { _, _, error in
        continuation.resume(returning: error)
      }.resume()
    }
    #expect((later as? URLError)?.code == .cancelled && server.requests.count == 1)
  }

  @Test(
    "a body stream is not read to its end for a request that was cancelled",
    arguments: Engine.allCases)
  func cancelledStream(_ engine: Engine) async throws {
    let server = try ScriptedServer { _ in .text("no") }
    let session = try Client(engine).session
    // More than tasks have threads: none of the streams holds one of those.
    let streams = (0..<(2 * ProcessInfo.processInfo.activeProcessorCount)).map { _ in Lock(false) }
    let tasks = streams.map { wasRead in
      var request = URLRequest(url: server.url())
      request.httpMethod = "POST"
      request.httpBodyStream = EndlessStream(wasRead)
      let endless = request
      return Task { try await session.data(for: endless) }
    }
    while !streams.allSatisfy({ $0.withLock(\.self) }), !Task.isCancelled { await Task.yield() }
    for task in tasks {
      task.cancel()
      await #expect(throws: URLError(.cancelled)) { try await task.value }
    }
    #expect(server.requests.isEmpty)
  }
}

/// A stream that always has one more byte, and records that it was read.
private final class EndlessStream: InputStream {
  private let wasRead: Lock<Bool>

  init(_ wasRead: Lock<Bool>) {
    self.wasRead = wasRead
    super.init(data: Data())
  }

  override func open() {}
  override func close() {}

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    wasRead.withLock { $0 = true }
    // The caller's buffer has room for one byte at least.
    unsafe buffer.pointee = 0
    return 1
  }
}
