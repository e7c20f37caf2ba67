import Foundation
import FoundationNetworking
import HTTPAuthentication
import VaultModel

/// A request with its redirects, and the tasks that each of them takes.
struct RequestLoader<Payload: Sendable>: Sendable {
  private let transfer: Transfer<Payload>
  private let session: URLSession
  private let owner: AuthenticatedSession
  private let request: URLRequest
  private let body: RequestBody

  /// Foundation's own limit on redirects.
  private static var mostRedirects: Int { 20 }

  init(
    _ transfer: Transfer<Payload>, _ request: URLRequest, body: RequestBody = .ofRequest,
    over session: URLSession, for owner: AuthenticatedSession
  ) {
    self.transfer = transfer
    self.session = session
    self.owner = owner
    self.request = request
    self.body = body
  }

  /// The result of one task.
  private struct Reply {
    let payload: Payload
    let response: URLResponse
    /// The task, which has ended.
    let task: URLSessionTask?
    /// The fields that were added to the request here.
    var fields: [AuthorizationField] = []
  }

  /// Sends the request and those that redirects lead to, until there is a response for the caller.
  ///
  /// - Throws: The session's errors, and the ``VaultModel/VaultError`` of a lookup;
  ///   `URLError.cancelled` if the task was cancelled, whatever it waited for.
  @concurrent func run() async throws -> (Payload, URLResponse) {
    do {
      let reply = try await follow()
      return (reply.payload, reply.response)
    } catch let error as VaultError where error.code == .interrupted && Task.isCancelled {
      throw URLError(.cancelled)
    }
  }

  private func follow() async throws -> Reply {
    let request = try await body.repeatable(in: request)
    guard var target = try RequestTarget(request, body, credential: owner.settings.credential)
    else {
      return try await perform(request, body)
    }
    var redirects = 0
    while true {
      let reply = try await send(target)
      let next = try await keeping(reply) {
        try await self.next(after: reply, to: target, redirects)
      }
      guard let next else { return reply }
      transfer.discard(reply.payload)
      try requireSession()
      target = next
      redirects += 1
    }
  }

  /// Returns the target of a redirect; nil if the response is the caller's.
  private func next(
    after reply: Reply, to target: RequestTarget, _ redirects: Int
  ) async throws -> RequestTarget? {
    guard let response = reply.response as? HTTPURLResponse, let task = reply.task,
      let next = target.redirected(by: response)
    else { return nil }
    guard redirects < Self.mostRedirects else { throw URLError(.httpTooManyRedirects) }
    let answer = try await RedirectQuestion().put(
      session, task, response, next: next.request)
    guard let answer = answer?.without(reply.fields) else { return nil }
    let request = try await answer.withRepeatableBody()
    let isSameBody = request.httpBody == next.request.httpBody && request.httpMethod == next.method
    guard let other = try RequestTarget(request, isSameBody ? next.body : .ofRequest, after: target)
    else {
      throw URLError(.unsupportedURL)
    }
    return other
  }

  /// Sends one request and answers its challenges until there is nothing more to answer.
  private func send(_ target: RequestTarget) async throws -> Reply {
    var exchange = try await target.exchange(of: owner.authenticator, owner.options)
    var fields = exchange.fields
    while true {
      var reply = try await perform(target.request(with: fields), target.body)
      reply.fields = fields
      guard let response = reply.response as? HTTPURLResponse else { return reply }
      let step = try await keeping(reply) {
        try await exchange.next(after: HTTPAuthentication.ResponseHead(response))
      }
      switch step {
      case .send(let next): fields = next
      case .finish(let outcome):
        owner.settings.onOutcome?(target.url.withoutUserInfo, outcome)
        return reply
      }
      transfer.discard(reply.payload)
      try requireSession()
    }
  }

  /// Checks that another task can be made; not done before the first one, since it takes 4 µs.
  ///
  /// - Throws: `URLError.cancelled` if the session is invalidated.
  private func requireSession() throws(URLError) {
    guard !session.isInvalidated else { throw URLError(.cancelled) }
  }

  /// Runs a step while the caller keeps a reply; if it fails, discards the reply.
  private func keeping<R>(_ reply: Reply, _ body: () async throws -> R) async throws -> R {
    do {
      return try await body()
    } catch {
      transfer.discard(reply.payload)
      throw error
    }
  }

  /// Runs one task of the session.
  ///
  /// - Throws: The task's error, except that of cancelling a challenge.
  private func perform(_ request: URLRequest, _ body: RequestBody) async throws -> Reply {
    guard !Task.isCancelled else { throw URLError(.cancelled) }
    let delegate = TaskDelegate()
    let (payload, response, error) = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        delegate.start(
          transfer.task(session, request, body) { payload, response, error in
            guard delegate.completes() else { return }
            continuation.resume(returning: (payload, response, error))
          })
      }
    } onCancel: {
      delegate.cancel()
    }
    let task = delegate.finish()
    if error != nil, delegate.isCancelled { throw URLError(.cancelled) }
    if error != nil, delegate.isTooLate { throw URLError(.timedOut) }
    if let challenge = delegate.challenge {
      return Reply(payload: try transfer.empty(), response: challenge, task: task)
    }
    if let error { throw error }
    guard let payload, let response else { throw URLError(.badServerResponse) }
    return Reply(payload: payload, response: response, task: task)
  }
}
