import Foundation
import FoundationNetworking
import SecureMemory
import VaultModel
import VaultTransport
import VaultURLSession

/// Requests of all kinds, whose result is a status or the code of a `URLError`.
final class RandomTasks: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
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
