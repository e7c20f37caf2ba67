import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import TestTraits
import Testing
import URLSessionTesting

@testable import VaultURLSession

@Suite("AuthenticatedTask", .waiting, .timeLimit(.minutes(5))) struct TaskTests {
  /// The arguments and the queue of a handler's call.
  struct HandlerCall: Sendable {
    let text: String?
    let status: Int?
    let error: URLError?
    let isOnQueue: Bool
  }

  /// Creates a task that records each call of its handler.
  private func makeTask(
    _ client: Client, _ url: URL, _ calls: Lock<[HandlerCall]>,
    then done: @escaping @Sendable () -> Void
  ) -> AuthenticatedTask {
    client.session.dataTask(with: url) { [queue = client.session.queue] data, response, error in
      let told = HandlerCall(
        text: data?.text, status: response?.status, error: error as? URLError,
        isOnQueue: OperationQueue.current === queue)
      calls.withLock { $0.append(told) }
      done()
    }
  }

  @Test(
    "a task does nothing before resume, and calls its handler once, on the delegate queue",
    arguments: Engine.allCases)
  func resume(_ engine: Engine) async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(AuthenticatedSessionTests.users))
    let client = try Client(engine)
    try client.store(at: server)
    let calls = Lock<[HandlerCall]>([])
    let task: AuthenticatedTask = await withCheckedContinuation { continuation in
      let made = Lock<AuthenticatedTask?>(nil)
      let task = makeTask(client, server.url("/x"), calls) {
        guard let task = made.withLock({ $0 }) else { return }
        continuation.resume(returning: task)
      }
      made.withLock { $0 = task }
      #expect(task.state == .suspended && task.originalRequest.url == server.url("/x"))
      task.resume()
      task.resume()
      #expect(task.state != .suspended)
    }
    task.cancel()
    task.resume()
    #expect(task.state == .completed)
    await settled(client)
    let told = calls.withLock { $0 }
    #expect(told.count == 1 && told.first?.text == "OK ann" && told.first?.status == 200)
    #expect(told.first?.isOnQueue == true && told.first?.error == nil)
    #expect(server.requests.count == 2)
  }

  @Test(
    "a task that is cancelled before resume sends nothing, and its handler is told so",
    arguments: Engine.allCases)
  func cancelledBefore(_ engine: Engine) async throws {
    let server = try ScriptedServer { _ in .text("no") }
    let client = try Client(engine)
    let calls = Lock<[HandlerCall]>([])
    await withCheckedContinuation { continuation in
      let task = makeTask(client, server.url(), calls) { continuation.resume() }
      task.cancel()
      task.cancel()
      task.resume()
    }
    await settled(client)
    let told = calls.withLock { $0 }
    #expect(told.count == 1 && told.first?.error == URLError(.cancelled))
    #expect(server.requests.isEmpty)
  }

  @Test(
    "a task that is cancelled while the server does not answer ends as cancelled",
    arguments: Engine.allCases)
  func cancelledWhile(_ engine: Engine) async throws {
    let gate = DispatchSemaphore(value: 0)
    let asked = Lock(false)
    let server = try ScriptedServer { _ in
      asked.withLock { $0 = true }
      gate.wait()
      return .text("late")
    }
    defer { gate.signal() }
    let client = try Client(engine)
    let calls = Lock<[HandlerCall]>([])
    await withCheckedContinuation { continuation in
      let task = makeTask(client, server.url(), calls) { continuation.resume() }
      task.resume()
      Thread.detachNewThread {
        while !asked.withLock({ $0 }) { sched_yield() }
        task.cancel()
      }
    }
    await settled(client)
    let told = calls.withLock { $0 }
    #expect(told.count == 1 && told.first?.error == URLError(.cancelled))
  }

  @Test("uploads and downloads have handlers, too", arguments: Engine.allCases)
  func others(_ engine: Engine) async throws {
    let server = try ScriptedServer { request in .text("\(request.method) \(request.body.count)") }
    let client = try Client(engine)
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    let file = FileManager.default.temporaryDirectory.appending(path: "vault-\(UUID())")
    try Data("in a file".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let upload = request
    let memory = await withCheckedContinuation { continuation in
      client.session.uploadTask(with: upload, from: Data("body".utf8)) { data, _, _ in
        continuation.resume(returning: data?.text)
      }.resume()
    }
    let fromFile = await withCheckedContinuation { continuation in
      client.session.uploadTask(with: upload, fromFile: file) { data, _, _ in
        continuation.resume(returning: data?.text)
      }.resume()
    }
    let download = await withCheckedContinuation { continuation in
      client.session.downloadTask(with: server.url()) { file, _, _ in
        continuation.resume(returning: file)
      }.resume()
    }
    let downloaded = try #require(download)
    defer { try? FileManager.default.removeItem(at: downloaded) }
    #expect(memory == "PUT 4" && fromFile == "PUT 9")
    #expect(try Data(contentsOf: downloaded).text == "GET 0")
  }

  @Test("what a task was made of goes when its handler was called", arguments: Engine.allCases)
  func released(_ engine: Engine) async throws {
    final class Mark: Sendable {}
    weak var mark: Mark?
    let server = try ScriptedServer { _ in .text("done") }
    let client = try Client(engine)
    let task: AuthenticatedTask
    do {
      let kept = Mark()
      mark = kept
      task = await withCheckedContinuation { continuation in
        let made = Lock<AuthenticatedTask?>(nil)
        let task = client.session.dataTask(with: server.url()) { [kept] _, _, _ in
          withExtendedLifetime(kept) {
            if let task = made.withLock({ $0 }) { continuation.resume(returning: task) }
          }
        }
        made.withLock { $0 = task }
        task.resume()
      }
    }
    await settled(client)
    while mark != nil, !Task.isCancelled { await Task.yield() }
    #expect(mark == nil && task.state == .completed)
  }

  @Test("a finished request leaves no task of Foundation's behind")
  func noLeak() async throws {
    let server = try ScriptedServer { request in
      request.target == "/from" ? .redirect(to: "/to") : .text("end")
    }
    let delegate = RedirectDelegate { $0 }
    let client = Client(delegate: delegate)
    _ = try await client.session.data(from: server.url("/from"))
    #expect(delegate.asked.count == 1)
    // Foundation's queues release it a little later; if asked for its tasks before, it can trap
    // over one that is just being released.
    while delegate.hasTask, !Task.isCancelled { await Task.yield() }
    #expect(!delegate.hasTask)
    let plain = try client.plain
    let left = await withCheckedContinuation { continuation in
      plain.getAllTasks { continuation.resume(returning: $0.count) }
    }
    #expect(left == 0)
  }

  /// Waits until the delegate queue has finished its work.
  private func settled(_ client: Client) async {
    await withCheckedContinuation { continuation in
      client.session.queue.addOperation { continuation.resume() }
    }
  }
}
