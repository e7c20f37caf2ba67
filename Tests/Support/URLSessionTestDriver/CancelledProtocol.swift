import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import TestSupport
import URLSessionTesting
import VaultTransport
import VaultURLSession

/// Sends requests over the transport, 50 at once, of which a part is cancelled at a random moment.
///
/// Arguments: `transport` for its own interface, or `protocol` for tasks of URLSession, of all
/// kinds; the number of requests; how many of a hundred are cancelled; the seed; and the URL of a
/// server, or none for one in this process that challenges, redirects and has large pages.
func cancelledOverTransport(_ arguments: [String]) async throws -> [String] {
  guard arguments.count >= 4, let count = Int(arguments[1]), let percent = Int(arguments[2]),
    let seed = UInt64(arguments[3])
  else { return ["no such requests"] }
  let server = try ScriptedServer(
    ScriptedLogin.basic(["ann": "right"]) { request, user in
      switch request.target {
      case "/first": .redirect(to: "/page")
      case "/large": large
      default: .text("OK \(user)")
      }
    })
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  var settings = Transport.Configuration()
  settings.proxy = .none
  let transport = try Transport(vault: stage.vault, configuration: settings)
  VaultURLProtocol.share(transport)
  let urls =
    arguments.count > 4
    ? [arguments[4]] : ["/first", "/large", "/page"].map { "\(server.url($0))" }
  let sender = try RandomTasks(transport)
  // The threads and descriptors of a first round stay.
  for url in urls { for kind in 0..<RandomTasks.kinds { _ = try await sender.send(kind, url) } }
  let before = try resources()
  let random = Lock(SplitMix(seed: seed))
  let isOwn = arguments[0] == "transport"
  let codes = try await withThrowingTaskGroup(of: Int.self, returning: Set<Int>.self) { group in
    var codes: Set<Int> = []
    for number in 0..<count {
      if number >= 50, let code = try await group.next() { codes.insert(code) }
      let (delay, url, kind): (Int?, String, Int) = random.withLock { random in
        (
          Int.random(in: 0..<100, using: &random) < percent
            ? Int.random(in: 0...20_000, using: &random) : nil,
          urls[Int.random(in: 0..<urls.count, using: &random)],
          isOwn ? 0 : Int.random(in: 1..<RandomTasks.kinds, using: &random)
        )
      }
      group.addTask { try await sender.send(kind, url, cancelledAfter: delay) }
    }
    for try await code in group { codes.insert(code) }
    return codes
  }
  let others = codes.subtracting([200, URLError.cancelled.rawValue])
  sender.end()
  // Connections end with their threads; the alarm ends a wait that has no end.
  while try resources() > before + 40 { await Task.yield() }
  return [others.isEmpty ? "all ended" : "\(others)", try await unrelated()]
}

private let large: ScriptedResponse = {
  var response = ScriptedResponse.text("")
  response.body = [UInt8](repeating: 1, count: 1 << 20)
  return response
}()

/// The descriptors and threads of this process.
private func resources() throws -> Int {
  try ["fd", "task"].reduce(0) { count, folder in
    try count + FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count
  }
}

/// Requests of all kinds, whose result is a status or the code of a `URLError`.
private final class RandomTasks: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
  /// The transport's own interface; data, uploads and downloads with handlers; async data and
  /// downloads; data and downloads with a delegate.
  static let kinds = 8

  private let transport: Transport
  private let session = Lock<URLSession?>(nil)
  private let waiting = Lock<[Int: CheckedContinuation<Int, Never>]>([:])

  init(_ transport: Transport) throws {
    self.transport = transport
    super.init()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [VaultURLProtocol.self]
    session.withLock {
      $0 = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }
  }

  func end() { session.withLock { $0.take() }?.finishTasksAndInvalidate() }

  func send(_ kind: Int, _ url: String, cancelledAfter delay: Int? = nil) async throws -> Int {
    guard let session = session.withLock(\.self), let target = URL(string: url) else { return 0 }
    switch kind {
    case 0:
      let request = try TransportRequest("GET", url)
      return await cancelling(delay) { [transport] in
        try await transport.data(for: request).0.status
      }
    case 4: return await cancelling(delay) { try await session.data(from: target).1.status }
    case 5:
      return await cancelling(delay) {
        let (file, response) = try await session.download(from: target)
        try FileManager.default.removeItem(at: file)
        return response.status
      }
    default: return await task(kind, session, target, delay)
    }
  }

  private func cancelling(
    _ delay: Int?, _ body: @escaping @Sendable () async throws -> Int
  ) async -> Int {
    let task = Task { try await body() }
    if let delay {
      DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(delay)) { task.cancel() }
    }
    do {
      return try await task.value
    } catch {
      return Self.code(nil, error)
    }
  }

  private func task(_ kind: Int, _ session: URLSession, _ url: URL, _ delay: Int?) async -> Int {
    await withCheckedContinuation { continuation in
      var request = URLRequest(url: url)
      let task: URLSessionTask
      switch kind {
      case 1:
        task = session.dataTask(with: request) { _, response, error in
          continuation.resume(returning: Self.code(response, error))
        }
      case 2:
        request.httpMethod = "POST"
        let body = Data(repeating: 1, count: 10_000)
        task = session.uploadTask(with: request, from: body) { _, response, error in
          continuation.resume(returning: Self.code(response, error))
        }
      case 3:
        task = session.downloadTask(with: request) { file, response, error in
          if let file { try? FileManager.default.removeItem(at: file) }
          continuation.resume(returning: Self.code(response, error))
        }
      default:
        task = kind == 6 ? session.dataTask(with: request) : session.downloadTask(with: request)
        waiting.withLock { $0[task.taskIdentifier] = continuation }
      }
      task.resume()
      guard let delay else { return }
      DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(delay)) { task.cancel() }
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo file: URL
  ) {
    try? FileManager.default.removeItem(at: file)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    waiting.withLock { $0.removeValue(forKey: task.taskIdentifier) }?
      .resume(returning: Self.code(task.response, error))
  }

  private static func code(_ response: URLResponse?, _ error: (any Error)?) -> Int {
    if case VaultError.Code.interrupted? = error as? VaultError {
      return URLError.cancelled.rawValue
    }
    if error is CancellationError { return URLError.cancelled.rawValue }
    return (error as? URLError)?.code.rawValue ?? response?.status ?? 0
  }
}

extension URLResponse {
  fileprivate var status: Int { (self as? HTTPURLResponse)?.statusCode ?? 0 }
}
