import Foundation
import FoundationNetworking
import HTTPAuthentication

/// A request on its way: its redirects, and the tries of each.
struct Load<Payload: Sendable>: Sendable {
  private let transfer: Transfer<Payload>
  private let owner: AuthenticatedSession
  private let request: URLRequest
  private let body: RequestBody

  /// As many as Foundation follows.
  private static var mostRedirects: Int { 20 }

  /// Prepares a load.
  ///
  /// - Throws: The error of a body stream that cannot be read.
  init(
    _ transfer: Transfer<Payload>, _ request: URLRequest, body: RequestBody = .ofRequest,
    in owner: AuthenticatedSession
  ) throws {
    self.transfer = transfer
    self.owner = owner
    self.request = try request.withRepeatableBody()
    self.body = body
  }

  /// Sends it, and what redirects lead to, until there is a response for the caller.
  func run() async throws -> (Payload, URLResponse) {
    guard var hop = try Hop(request, body) else {
      let reply = try await attempt(request, body)
      return (reply.payload, reply.response)
    }
    var exchange = try owner.authenticator.exchange(for: hop.description())
    for _ in 0...Self.mostRedirects {
      let reply = try await send(hop, &exchange)
      guard let response = reply.response as? HTTPURLResponse,
        let next = try hop.redirected(by: response)
      else { return (reply.payload, reply.response) }
      try transfer.discard(reply.payload)
      hop = next
      exchange = try exchange.redirected(to: hop.url, method: hop.method)
    }
    throw URLError(.httpTooManyRedirects)
  }

  /// Sends one request until there is nothing more to answer.
  private func send(_ hop: Hop, _ exchange: inout Exchange) async throws -> Reply {
    var fields = exchange.fields
    while true {
      let reply = try await attempt(hop.request(with: fields), hop.body)
      guard let response = reply.response as? HTTPURLResponse, !hop.answersItself(response) else {
        return reply
      }
      switch try await exchange.next(after: HTTPAuthentication.HTTPResponse(response)) {
      case .send(let next): fields = next
      case .finish(let outcome):
        owner.onOutcome?(hop.url.withoutUserInfo, outcome)
        return reply
      }
      try transfer.discard(reply.payload)
    }
  }

  /// What came of one try.
  private struct Reply {
    let payload: Payload
    let response: URLResponse
  }

  /// Runs one task of the session.
  ///
  /// - Throws: The task's error; of a challenge's cancellation, none.
  private func attempt(_ request: URLRequest, _ body: RequestBody) async throws -> Reply {
    let delegate = TryDelegate()
    let (payload, response, error) = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        delegate.start(
          transfer.task(owner.session, request, body) { payload, response, error in
            continuation.resume(returning: (payload, response, error))
          })
      }
    } onCancel: {
      delegate.cancel()
    }
    if let challenge = delegate.challenge, !delegate.isCancelled {
      return Reply(payload: try transfer.empty(), response: challenge)
    }
    if let error { throw error }
    guard let payload, let response else { throw URLError(.badServerResponse) }
    return Reply(payload: payload, response: response)
  }
}
