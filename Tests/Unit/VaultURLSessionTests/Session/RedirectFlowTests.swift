import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing
import URLSessionTesting
import VaultURLSession

/// The redirects that are followed, and the calls of the app's delegate.
@Suite("Redirect flow", .timeLimit(.minutes(5))) struct RedirectFlowTests {
  /// Starts a server that redirects `/from` with a status to a location, and answers with the
  /// request at other paths.
  private func server(_ status: Int, _ location: String) throws -> ScriptedServer {
    try ScriptedServer { request in
      request.target == "/from"
        ? .redirect(status, to: location)
        : .text("\(request.method) \(request.target) \(request.body.count)")
    }
  }

  private func post(_ server: ScriptedServer) -> URLRequest {
    var request = URLRequest(url: server.url("/from"))
    request.httpMethod = "POST"
    request.httpBody = Data("body".utf8)
    return request
  }

  @Test("a 307 takes method and body along, a 303 neither", arguments: Engine.allCases)
  func methods(_ engine: Engine) async throws {
    let client = try Client(engine)
    let keeping = try server(307, "to?x")
    let (kept, _) = try await client.session.data(for: post(keeping))
    #expect(kept.text == "POST /to?x 4")
    let dropping = try server(303, "to")
    let (dropped, response) = try await client.session.data(for: post(dropping))
    #expect(dropped.text == "GET /to 0" && response.url?.path == "/to")
  }

  @Test(
    "after a challenge, before one, and at both ends each origin gets its own credential",
    arguments: Engine.allCases)
  func loggedIn(_ engine: Engine) async throws {
    let target = try ScriptedServer(ScriptedLogin.basic(["bob": "other"], realm: "Target"))
    let location = target.url("/to").absoluteString
    let source = try ScriptedServer(
      ScriptedLogin.basic(AuthenticatedSessionTests.users) { _, _ in .redirect(to: location) })
    let client = try Client(engine)
    try client.store(at: source)
    try client.store("bob", "other", at: target, realm: "Target")
    let (data, response) = try await client.session.data(from: source.url("/from"))
    #expect(data.text == "OK bob" && response.url == target.url("/to"))
    let own = ScriptedLogin.basicUser(
      of: target.requests.last?.authorization, ["bob": "other"])
    #expect(target.schemes == [nil, "basic"] && own == "bob")
    #expect(client.outcomes == [.done, .done])
  }

  @Test(
    "what was set by hand goes to no other origin, and user and password in the URL neither",
    arguments: Engine.allCases)
  func otherOrigin(_ engine: Engine) async throws {
    let target = try ScriptedServer(ScriptedLogin.basic(AuthenticatedSessionTests.users))
    let source = try server(302, target.url("/to").absoluteString)
    var request = URLRequest(url: source.url("/from", user: "ann", password: "right"))
    request.setValue("Basic x", forHTTPHeaderField: "Authorization")
    request.setValue("a=b", forHTTPHeaderField: "Cookie")
    request.setValue("kept", forHTTPHeaderField: "X-Own")
    let (_, response) = try await Client(engine).session.data(for: request)
    #expect(response.status == 401 && source.schemes == ["basic"])
    #expect(target.schemes == [nil])
    #expect(target.requests.first?["Cookie"] == nil && target.requests.first?["X-Own"] == "kept")
  }

  @Test("a cookie that a redirect sets is sent to where it leads", arguments: Engine.allCases)
  func cookie(_ engine: Engine) async throws {
    let server = try ScriptedServer { request in
      guard request.target == "/from" else { return .text(request["Cookie"] ?? "none") }
      var response = ScriptedResponse.redirect(to: "/to")
      response.fields.append((name: "Set-Cookie", value: "a=b"))
      return response
    }
    let (data, _) = try await Client(engine).session.data(from: server.url("/from"))
    #expect(data.text == "a=b")
  }

  @Test(
    "twenty redirects are followed, and the next is httpTooManyRedirects",
    arguments: Engine.allCases)
  func tooMany(_ engine: Engine) async throws {
    let server = try ScriptedServer { request in
      let count = Int(request.target.dropFirst()) ?? 0
      return count == 0 ? .text("end") : .redirect(to: "/\(count - 1)")
    }
    let (data, _) = try await Client(engine).session.data(from: server.url("/20"))
    #expect(data.text == "end" && server.requests.count == 21)
    await #expect(throws: URLError(.httpTooManyRedirects)) {
      try await Client(engine).session.data(from: server.url("/21"))
    }
    #expect(server.requests.count == 42)
  }

  @Test("a location that leads nowhere leaves the 3xx to the caller", arguments: Engine.allCases)
  func nowhere(_ engine: Engine) async throws {
    let server = try server(302, "myapp://callback?code=1")
    let (_, response) = try await Client(engine).session.data(from: server.url("/from"))
    #expect(response.status == 302)
    let location = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Location")
    #expect(location == "myapp://callback?code=1")
  }

  @Test("the session's delegate may refuse a redirect, and gets the 3xx")
  func refused() async throws {
    let server = try server(302, "/to")
    let delegate = RedirectDelegate { _ in nil }
    let (_, response) = try await Client(delegate: delegate).session.data(
      from: server.url("/from"))
    #expect(response.status == 302)
    #expect(delegate.asked == [server.url("/to").absoluteString])
    #expect(server.lines == ["GET /from"])
  }

  @Test("the delegate may request something else")
  func changed() async throws {
    let server = try server(302, "/to")
    let delegate = RedirectDelegate { request in
      var request = request
      request.url = server.url("/else")
      request.setValue("delegate", forHTTPHeaderField: "X-Own")
      return request
    }
    let client = Client(delegate: delegate)
    let (data, _) = try await client.session.data(from: server.url("/from"))
    #expect(data.text == "GET /else 0")
    #expect(server.requests.last?["X-Own"] == "delegate")
    // A body is kept that Foundation would drop.
    let again = try self.server(307, "/to")
    let (kept, _) = try await client.session.upload(for: post(again), from: Data("upload".utf8))
    #expect(kept.text == "POST /else 6")
  }

  @Test("a body that the delegate puts in takes the place of what was uploaded")
  func otherBody() async throws {
    let server = try server(307, "/to")
    let delegate = RedirectDelegate { request in
      var request = request
      request.httpBody = Data("another".utf8)
      return request
    }
    let (data, _) = try await Client(delegate: delegate).session.upload(
      for: post(server), from: Data("upload".utf8))
    #expect(data.text == "POST /to 7")
  }

  @Test("a stream that the delegate puts in is read, and sent again after a challenge")
  func otherStream() async throws {
    let server = try ScriptedServer { request in
      guard request.target == "/to" else { return .redirect(307, to: "/to") }
      let login = ScriptedLogin.basic(AuthenticatedSessionTests.users) { request, _ in
        .text("\(request.method) \(request.body.count)")
      }
      return login(request)
    }
    let client = Client(
      delegate: RedirectDelegate { request in
        var request = request
        request.httpBodyStream = InputStream(data: Data("stream".utf8))
        return request
      })
    try client.store(at: server)
    let (data, _) = try await client.session.data(for: post(server))
    #expect(data.text == "POST 6" && server.schemes == [nil, nil, "basic"])
  }

  @Test("the delegate is asked on the session's delegate queue")
  func queue() async throws {
    let server = try server(302, "/to")
    let queue = Lock<ObjectIdentifier?>(nil)
    let client = Client(
      delegate: RedirectDelegate { request in
        queue.withLock { $0 = OperationQueue.current.map { ObjectIdentifier($0) } }
        return request
      })
    _ = try await client.session.data(from: server.url("/from"))
    #expect(try queue.withLock { $0 } == ObjectIdentifier(client.plain.delegateQueue))
  }

  @Test("a delegate without a word on redirects follows them, and never answers a challenge")
  func silent() async throws {
    final class SilentDataDelegate: NSObject, URLSessionDataDelegate {}
    let server = try server(302, "/to")
    let (data, _) = try await Client(delegate: SilentDataDelegate()).session.data(
      from: server.url("/from"))
    #expect(data.text == "GET /to 0")
  }

  @Test("a delegate that copies the field of the last request sends no password elsewhere")
  func copied() async throws {
    let target = try ScriptedServer { _ in .text("there") }
    let location = target.url("/to").absoluteString
    let source = try ScriptedServer(
      ScriptedLogin.basic(AuthenticatedSessionTests.users) { _, _ in .redirect(to: location) })
    let client = Client(delegate: CopyingDelegate())
    try client.store(at: source)
    let (data, _) = try await client.session.data(from: source.url("/from"))
    #expect(data.text == "there" && target.schemes == [nil])
    #expect(target.requests.last?["X-Had-Field"] == "true")
  }

  @Test("a request that is cancelled while the delegate does not answer ends as cancelled")
  func cancelled() async throws {
    let server = try server(302, "/to")
    let delegate = RedirectDelegate(answers: false) { $0 }
    let client = Client(delegate: delegate)
    let task = Task { try await client.session.data(from: server.url("/from")) }
    while delegate.asked.isEmpty, !Task.isCancelled { await Task.yield() }
    task.cancel()
    await #expect(throws: URLError(.cancelled)) { try await task.value }
  }
}

/// The result if the app keeps its delegate queue busy.
@Suite("Late redirects") struct LateRedirectTests {
  @Test("a redirect that the delegate queue is told too late is timedOut, and no trap")
  func late() async throws {
    let client = Client()
    let server = try ScriptedServer { [queue = try client.plain.delegateQueue] _ in
      // The request's limit of five seconds passes while its redirect waits for the queue. It
      // begins anew when the redirect comes, which may take a while on a busy machine.
      queue.addOperation { Thread.sleep(forTimeInterval: 20) }
      return .redirect(to: "/to")
    }
    var request = URLRequest(url: server.url("/from"))
    request.timeoutInterval = 5
    let late = request
    await #expect(throws: URLError(.timedOut)) { try await client.session.data(for: late) }
    #expect(server.lines == ["GET /from"])
  }
}

/// A delegate that copies the last request's login field, which Foundation's own tasks never show.
private final class CopyingDelegate: NSObject, URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    var request = newRequest
    let field = task.originalRequest?.value(forHTTPHeaderField: "Authorization")
    request.setValue(field, forHTTPHeaderField: "Authorization")
    request.setValue("\(field != nil)", forHTTPHeaderField: "X-Had-Field")
    completionHandler(request)
  }
}

/// A delegate that answers redirects as a test says, and records their targets.
final class RedirectDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let answers: Bool
  private let answer: @Sendable (URLRequest) -> URLRequest?
  private let log = Lock<[String]>([])
  private let task = Lock(Weak())

  private struct Weak {
    weak var task: URLSessionTask?
  }

  init(answers: Bool = true, _ answer: @escaping @Sendable (URLRequest) -> URLRequest?) {
    self.answers = answers
    self.answer = answer
  }

  var asked: [String] { log.withLock { $0 } }
  /// Whether the task of the call still exists.
  var hasTask: Bool { task.withLock { $0.task != nil } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    log.withLock { $0.append(newRequest.url?.absoluteString ?? "") }
    self.task.withLock { $0.task = task }
    guard answers else { return }
    completionHandler(answer(newRequest))
    // A second answer does not count.
    completionHandler(nil)
  }
}
