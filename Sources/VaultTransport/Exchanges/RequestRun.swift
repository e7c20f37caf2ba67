import Glibc
import HTTPAuthentication
import SecureMemory
import TLSCredentials
import VaultModel

/// One request with its redirects, and the attempts that each of them takes.
struct RequestRun: Sendable {
  let transport: Transport
  let loop: TransportLoop

  private var configuration: Transport.Configuration { transport.configuration }

  /// Sends a request and those that redirects lead to, until there is a response for the caller.
  func run(_ first: TransportRequest) async throws -> TransportResponse {
    var request = first
    request.fields += configuration.fields.filter { field in
      !request.fields.contains { $0.name.hasSameBytesIgnoringCase(as: field.name) }
    }
    var time = AttemptTime((first.limits ?? configuration.limits).total)
    var redirects = 0
    while true {
      let target = try RequestTarget(request, in: self)
      let (reply, outcome) = try await send(target, &time)
      let next = try await reply.keeping {
        try await self.next(after: reply.head.head, to: request, redirects)
      }
      guard let next else { return reply.response(outcome, of: target) }
      await reply.discard()
      request = next
      redirects += 1
    }
  }

  /// Returns the request that follows a redirect; nil if the response is the caller's.
  private func next(
    after head: ResponseHead, to request: TransportRequest, _ redirects: Int
  ) async throws -> TransportRequest? {
    guard var next = request.redirected(by: head) else { return nil }
    guard redirects < configuration.mostRedirects else {
      throw VaultError(
        .unavailable, "transport: more than \(redirects) redirects", underlying: .errno(ELOOP))
    }
    if let redirect = request.handlers.redirect {
      guard let chosen = try await redirect(request.url.withoutUserInfo, head, next) else {
        return nil
      }
      // Whatever a handler has made of it, nothing of one origin goes to another.
      next = chosen.going(to: chosen.url, after: request)
    }
    if let cookie = request.handlers.cookie {
      next.fields.removeAll { $0.name.hasSameBytesIgnoringCase(as: "Cookie") }
      if let value = cookie(next.url.withoutUserInfo) {
        next.fields.append(ResponseHead.Field("Cookie", value))
      }
    }
    return next
  }

  /// Sends one request and answers its challenges until there is nothing more to answer.
  private func send(
    _ target: RequestTarget, _ time: inout AttemptTime
  ) async throws -> (Reply, Outcome) {
    var exchange = try await target.exchange(of: transport.authenticator)
    var fields = exchange.fields
    var place: LoginPlace?
    // Of a request that fails, the connection may be anywhere in a login.
    defer { place?.end(keeps: false) }
    while true {
      let reply: Reply
      let head: ResponseHead
      place = try await transport.places.place(
        for: exchange.owner, isNew: exchange.needsNewConnection, after: place)
      switch try await perform(target, fields, exchange, place, &time) {
      case .response(let response):
        reply = response
        head = response.head.head
      case .tunnel(let refusal):
        await target.request.handlers.response?(target.url.withoutUserInfo, refusal)
        switch try await exchange.next(after: refusal) {
        case .send(let next): fields = next
        case .finish(let outcome):
          target.tell(outcome)
          return (.refused(refusal), outcome)
        }
        continue
      }
      await target.request.handlers.response?(target.url.withoutUserInfo, head)
      // Through a tunnel only the server answers: it must not be taken for the proxy.
      let isImpostor = head.status == 407 && target.isTunnelled
      let judged =
        isImpostor
        ? ResponseHead(status: 400, fields: []) : head
      let connection = reply.connection(of: transport)
      switch try await reply.keeping({ try await exchange.next(after: judged, on: connection) }) {
      case .send(let next):
        fields = next
        await reply.discard()
      case .finish(let outcome):
        place?.end(keeps: exchange.keepsConnection)
        let outcome = reply.needsIdentity ? outcome.with(.identityRequired) : outcome
        target.tell(outcome)
        return (reply, outcome)
      }
    }
  }

  /// The result of an attempt.
  private enum Result {
    case response(Reply)
    /// The proxy refuses a tunnel.
    case tunnel(ResponseHead)
  }

  /// The most times that a request is made again because of what a handshake has shown: for an
  /// identity and a decision of each side, and once more for each that has changed meanwhile.
  private static let mostHandshakes = 8

  /// Makes an attempt, again as often as a handshake needs an answer.
  private func perform(
    _ target: RequestTarget, _ fields: [AuthorizationField], _ exchange: Exchange,
    _ place: LoginPlace?, _ time: inout AttemptTime
  ) async throws -> Result {
    for _ in 0..<Self.mostHandshakes {
      var attempt = try await target.attempt(fields, exchange.proxyUser, at: place, in: self)
      attempt.limits.total = try time.begin()
      defer { time.end() }
      let transfer = Transfer(attempt)
      do throws(TransferFailure) {
        return .response(try await Reply.begin(transfer, on: loop))
      } catch {
        switch error.kind {
        case .tunnel(let head): return .tunnel(head)
        case .tls, .untrusted:
          time.end()
          try await HandshakeAnswer(transport, target, attempt.route).answer(error)
        case .other: throw error.error
        }
      }
    }
    throw VaultError(.unavailable, "transport: the server changes its mind in each handshake")
  }
}

/// The time that the attempts of a request may take together.
private struct AttemptTime {
  private var rest: Duration?
  private var start: ContinuousClock.Instant?

  init(_ limit: Duration?) {
    rest = limit
  }

  /// Begins an attempt.
  ///
  /// - Returns: The time that it may take; nil for any.
  /// - Throws: ``VaultError/Code/unavailable`` with `ETIMEDOUT` if there is none left.
  mutating func begin() throws(VaultError) -> Duration? {
    guard let rest else { return nil }
    guard rest > .zero else {
      throw VaultError(
        .unavailable, "transport: the request has taken too long", underlying: .errno(ETIMEDOUT))
    }
    start = .now
    return rest
  }

  /// Ends an attempt, when its response has begun.
  mutating func end() {
    guard let rest, let start else { return }
    self.rest = rest - (.now - start)
    self.start = nil
  }
}
