import Foundation
import FoundationNetworking
import HTTPAuthentication
import VaultModel
import VaultTransport

/// The request of one task, whose delegate is asked and told.
struct TaskRequest: Sendable {
  private let delivery: TaskDelivery
  private let owner: SessionTransport
  private let request: TransportRequest
  private let questions: TaskQuestions
  private let progress: TaskProgress

  /// Prepares the request.
  ///
  /// - Throws: `URLError.badURL` if the URL is not valid for a request.
  init(
    _ delivery: TaskDelivery, _ body: RequestPayload, over owner: SessionTransport
  ) throws(URLError) {
    guard let original = delivery.task.originalRequest else { throw URLError(.badURL) }
    let length = original.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
    var request = try TransportRequest(
      original, body: body.body(length: length), delivery.session.configuration)
    let questions = TaskQuestions(delivery, request.url)
    let progress = TaskProgress(delivery)
    if delivery.delegate != nil {
      request.handlers.response = { [keep = request.handlers.response] url, head in
        await keep?(url, head)
        if let response = HTTPURLResponse(head, of: url) { questions.note(response) }
      }
      request.handlers.prompt = PromptChain(questions, owner.transport.authenticator.prompt)
    }
    request.handlers.redirect = { url, head, next in
      let followed = try await Self.follow(delivery, head, of: url, next)
      if let followed { questions.move(to: followed.url) }
      return followed
    }
    request.handlers.progress = { progress.note($0) }
    self.delivery = delivery
    self.owner = owner
    self.request = request
    self.questions = questions
    self.progress = progress
    owner.begin(questions)
  }

  /// Ends what it shares with other tasks.
  func end() { owner.end(questions) }

  /// Waits until the delegate has seen the progress.
  func settle() async { await progress.settle() }

  /// Returns the response that is the task's.
  ///
  /// - Throws: `URLError.cancelled` if the delegate cancels; else as `Transport.send(_:)`.
  func response() async throws -> TransportResponse {
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
  private static func follow(
    _ delivery: TaskDelivery, _ head: ResponseHead, of url: RequestURL,
    _ proposed: TransportRequest
  ) async throws -> TransportRequest? {
    guard let shown = URLRequest(proposed), let response = HTTPURLResponse(head, of: url) else {
      throw URLError(.badServerResponse)
    }
    let answer = try await RedirectQuestion().put(
      delivery.session, delivery.task, response, next: shown)
    guard let answer else { return nil }
    let chosen = try TransportRequest(answer)
    var next = proposed
    // The URL's user and password are not in what the delegate is shown.
    if answer.url != shown.url { next.url = chosen.url }
    next.method = chosen.method
    next.fields = chosen.fields
    if answer.httpBody != nil || answer.httpMethod != shown.httpMethod { next.body = chosen.body }
    return next
  }
}
