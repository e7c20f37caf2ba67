import Foundation
import FoundationNetworking
import HTTPAuthentication
import VaultModel
import VaultTransport

/// The requests of one task: the first, and those that redirects lead to.
///
/// They are followed here and not by the transport, because the delegate is asked, and because each
/// gets the cookies of its own URL.
final class RequestSeries: Sendable {
  private let delivery: TaskDelivery
  private let owner: SessionTransport
  private let first: TransportRequest
  private let questions: TaskQuestions
  private let progress: TaskProgress
  private let cookies: TaskCookies

  /// Foundation's own limit.
  private static let mostRedirects = 20

  /// Prepares the first request.
  ///
  /// - Throws: `URLError.badURL` if the URL is not valid for a request.
  init(
    _ delivery: TaskDelivery, _ body: RequestPayload, over owner: SessionTransport
  ) throws(URLError) {
    guard let request = delivery.task.originalRequest else { throw URLError(.badURL) }
    self.delivery = delivery
    self.owner = owner
    let configuration = delivery.session.configuration
    var sent = try TransportRequest(request)
    let length = request.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
    sent.body = body.body(length: length)
    sent.add(configuration.httpAdditionalHeaders ?? [:])
    sent.limits = TimeLimits(request, configuration)
    cookies = TaskCookies(request, configuration)
    questions = TaskQuestions(delivery, sent.url)
    progress = TaskProgress(delivery)
    first = sent
    owner.begin(questions)
  }

  /// Ends what the requests have shared.
  func end() { owner.end(questions) }

  /// Waits until the delegate has seen the progress.
  func settle() async { await progress.settle() }

  /// Returns the response that is the task's.
  ///
  /// - Throws: `URLError.httpTooManyRedirects`; `URLError.cancelled` if the delegate cancels; else
  ///   as ``Transport/send(_:)``.
  func response() async throws -> TransportResponse {
    var request = first
    var redirects = 0
    while true {
      let next = Redirection()
      let response = try await send(request, noting: next)
      guard let proposed = next.request else { return response }
      guard redirects < Self.mostRedirects else { throw URLError(.httpTooManyRedirects) }
      guard let followed = try await follow(response, proposed, after: request) else {
        return response
      }
      // A short rest is read, so that the connection is used again.
      _ = try? await response.body.collect(upTo: 1 << 16)
      request = followed
      questions.move(to: request.url)
      redirects += 1
    }
  }

  private func send(
    _ request: TransportRequest, noting next: Redirection
  ) async throws -> TransportResponse {
    var request = request
    request.handlers.response = { [self] url, head in
      cookies.store(head, of: url)
      if let url = URL(string: url.description),
        let response = HTTPURLResponse(head, version: "HTTP/1.1", of: url)
      {
        questions.note(response)
      }
    }
    request.handlers.redirect = { _, _, proposed in
      next.request = proposed
      return nil
    }
    request.handlers.progress = { [progress] in progress.note($0) }
    if delivery.delegate != nil {
      request.handlers.prompt = PromptChain(questions, owner.transport.authenticator.prompt)
    }
    do {
      let response = try await owner.transport.send(request)
      if questions.isCancelled { throw URLError(.cancelled) }
      return response
    } catch {
      throw questions.isCancelled ? URLError(.cancelled) : error
    }
  }

  /// Asks the delegate whether to follow a redirect.
  ///
  /// - Returns: The request to follow it with; nil to return the redirect itself.
  private func follow(
    _ response: TransportResponse, _ proposed: TransportRequest, after last: TransportRequest
  ) async throws -> TransportRequest? {
    var proposed = proposed
    proposed.fields.removeAll { $0.name.hasSameBytesIgnoringCase(as: "Cookie") }
    proposed.fields += cookies.fields(for: proposed.url)
    guard let shown = URLRequest(proposed),
      let url = URL(string: response.url.description),
      let head = HTTPURLResponse(response.head, version: response.version, of: url)
    else { throw URLError(.badServerResponse) }
    let answer = try await RedirectQuestion().put(
      delivery.session, delivery.task, head, next: shown)
    guard let answer else { return nil }
    var next = try TransportRequest(answer)
    // The URL's user and password are not in what the delegate is shown.
    if answer.url == shown.url { next.url = proposed.url }
    let isSameOrigin = next.url.origin == last.url.origin
    next.credential = isSameOrigin ? proposed.credential : nil
    next.user = isSameOrigin ? proposed.user : nil
    next.limits = proposed.limits
    if answer.httpBody == nil, answer.httpMethod == shown.httpMethod { next.body = proposed.body }
    return next
  }
}

/// The request that a redirect would lead to.
// Proof: the transport sets it before it returns the response, and it is read after that.
private final class Redirection: @unchecked Sendable {
  var request: TransportRequest?
}

extension TransportRequest {
  /// Creates a request from one of Foundation's.
  ///
  /// - Throws: `URLError.badURL` if the URL is not valid for a request.
  fileprivate init(_ request: URLRequest) throws(URLError) {
    guard let url = request.url else { throw URLError(.badURL) }
    var text = url.absoluteString
    if text.mayHaveDotSegments { text = url.absoluteURL.standardized.absoluteString }
    do throws(VaultError) {
      try self.init(request.httpMethod ?? "GET", text)
    } catch {
      throw URLError(.badURL)
    }
    fields = (request.allHTTPHeaderFields ?? [:]).map { ResponseHead.Field($0.key, $0.value) }
    if let body = request.httpBody { self.body = .bytes(Array(body)) }
  }

  /// Adds the fields of a configuration that the request does not have itself.
  fileprivate mutating func add(_ others: [AnyHashable: Any]) {
    for (name, value) in others {
      guard let name = name as? String, let value = value as? String,
        !fields.contains(where: { $0.name.hasSameBytesIgnoringCase(as: name) })
      else { continue }
      fields.append(ResponseHead.Field(name, value))
    }
  }
}

extension URLRequest {
  /// Creates the request that a delegate is shown: without user and password.
  fileprivate init?(_ request: TransportRequest) {
    guard let url = URL(string: request.url.withoutUserInfo.description) else { return nil }
    self.init(url: url)
    httpMethod = request.method
    for field in request.fields { setValue(field.value, forHTTPHeaderField: field.name) }
  }
}

extension TimeLimits {
  /// Creates the limits of a request: its own, or else its configuration's.
  fileprivate init(_ request: URLRequest, _ configuration: URLSessionConfiguration) {
    // Sixty seconds are what a request has that says nothing.
    let seconds =
      request.timeoutInterval == 60
      ? configuration.timeoutIntervalForRequest : request.timeoutInterval
    let limit = Duration.milliseconds(Int64((min(max(seconds, 0.001), 1e9) * 1000).rounded(.up)))
    self.init(connect: limit, idle: limit, total: nil)
  }
}
