import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import VaultURLSession

/// The form of a request, and of the one beside it.
enum Form: String, CaseIterable, Sendable {
  /// Foundation's own `async` method, which leaves out the delegate queue; nobody else can.
  case async = "`data(from:)`; Foundation's own"
  /// A task with a completion handler, awaited: what everybody else's `async` method is made of.
  case task = "`data(from:)`; a task with a handler"
  case completionHandler = "`dataTask(with:)`; Foundation's own"
}

/// Seconds for one request.
struct Cost: Sendable {
  /// By the clock.
  let seconds: Double
  /// Of all processors, for this whole process, the server in it included.
  let processor: Double

  static func processorTime() throws -> Double {
    var time = timespec()
    // The structure is this function's own.
    guard unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else {
      throw Failure("no clock")
    }
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

/// Requests for one page, as the authenticated session makes them and as they are made by hand.
struct Requests: Sendable {
  /// A field for `ann`'s password, written by hand.
  ///
  /// That of Digest is always the same answer, which this server accepts and others do not.
  static let basic = "Basic YW5uOmNvcnJlY3QgaG9yc2U="
  static let digest = #"""
    Digest username="ann", realm="Team", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/digest/page", \#
    algorithm=SHA-256, qop=auth, nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", \#
    response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
    """#

  let title: String
  let form: Form
  let lanes: Int
  /// For how many milliseconds the server works on a request.
  let wait: Int
  private let url: URL
  private let byHand: URLRequest
  private let session: URLSession
  private let authenticated: AuthenticatedSession

  init(
    vault: Vault, port: UInt16, scheme: String, field: String, form: Form, lanes: Int,
    wait: Int = 0
  ) throws {
    title =
      "\(scheme), \(form.rawValue), \(lanes == 1 ? "one after another" : "\(lanes) at once")"
      + (wait > 0 ? ", a server that takes \(wait) ms" : "")
    let path = scheme.hasPrefix("Basic") ? "basic" : "digest"
    guard let url = URL(string: "http://127.0.0.1:\(port)/\(path)/after-\(wait)") else {
      throw Failure("no URL")
    }
    self.url = url
    self.form = form
    self.lanes = lanes
    self.wait = wait
    var byHand = URLRequest(url: url)
    byHand.setValue(field, forHTTPHeaderField: "Authorization")
    self.byHand = byHand
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 8
    session = URLSession(configuration: configuration)
    authenticated = session.authenticated(by: vault)
  }

  /// Returns the cost of one request.
  func ours(_ count: Int) async throws -> Cost {
    try await pass(count) {
      switch form {
      case .async, .task: try await authenticated.data(from: url)
      case .completionHandler:
        try await withCheckedThrowingContinuation { continuation in
          authenticated.dataTask(with: url) { data, response, error in
            continuation.resume(with: Self.result(data, response, error))
          }.resume()
        }
      }
    }
  }

  /// Returns the cost of one request that already has its field.
  func peer(_ count: Int) async throws -> Cost {
    try await pass(count) {
      switch form {
      case .async: try await session.data(for: byHand)
      case .task, .completionHandler:
        try await withCheckedThrowingContinuation { continuation in
          session.dataTask(with: byHand) { data, response, error in
            continuation.resume(with: Self.result(data, response, error))
          }.resume()
        }
      }
    }
  }

  private func pass(
    _ count: Int, _ load: @escaping @Sendable () async throws -> (Data, URLResponse)
  ) async throws -> Cost {
    let processor = try Cost.processorTime()
    let duration = try await ContinuousClock().measure {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<lanes {
          group.addTask {
            for _ in 0..<count / lanes {
              let (data, response) = try await load()
              guard (response as? HTTPURLResponse)?.statusCode == 200, data.count == 7 else {
                throw Failure("no page")
              }
            }
          }
        }
        try await group.waitForAll()
      }
    }
    let total = Double(count / lanes * lanes)
    return Cost(
      seconds: duration / .seconds(1) / total,
      processor: (try Cost.processorTime() - processor) / total)
  }

  private static func result(
    _ data: Data?, _ response: URLResponse?, _ error: (any Error)?
  ) -> Result<(Data, URLResponse), any Error> {
    if let data, let response { return .success((data, response)) }
    return .failure(error ?? Failure("neither a response nor an error"))
  }
}
