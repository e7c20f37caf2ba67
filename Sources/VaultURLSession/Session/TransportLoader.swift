import Foundation
import FoundationNetworking
import HTTPAuthentication
import VaultModel
import VaultTransport

/// Loads over a transport, with the settings of a configuration of Foundation's.
struct TransportLoader: Sendable {
  private let transport: Transport
  private let configuration: URLSessionConfiguration
  /// The queue of completion handlers.
  let queue: OperationQueue

  /// - Throws: ``VaultModel/VaultError/Code/unsupported`` as the transport's own initializer.
  init(_ base: Transport, _ configuration: URLSessionConfiguration) throws(VaultError) {
    var settings = base.configuration
    settings.mostConnections = max(1, configuration.httpMaximumConnectionsPerHost)
    transport = try Transport(authenticator: base.authenticator, configuration: settings)
    // A copy always has the same class.
    self.configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
    queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
  }

  @concurrent func data(
    for request: URLRequest, _ body: RequestBody, _ settings: AuthenticatedSession.Settings
  ) async throws -> (Data, URLResponse) {
    try await load(request, body, settings) { Data(try await $0.collect()) }
  }

  @concurrent func download(
    for request: URLRequest, _ settings: AuthenticatedSession.Settings
  ) async throws -> (URL, URLResponse) {
    try await load(request, .ofRequest, settings) { try await $0.save() }
  }

  @concurrent func bytes(
    for request: URLRequest, _ settings: AuthenticatedSession.Settings
  ) async throws -> (LoadedBytes, URLResponse) {
    try await load(request, .ofRequest, settings) { LoadedBytes($0, of: request.url) }
  }

  /// Sends a request, and returns its response and what is made of its body.
  ///
  /// - Throws: `URLError.unsupportedURL` for a URL that is none of HTTP's; the errors of
  ///   `Transport.send(_:)` as code for URLSession expects them.
  private func load<Payload>(
    _ request: URLRequest, _ body: RequestBody, _ settings: AuthenticatedSession.Settings,
    _ read: (ResponseBody) async throws -> Payload
  ) async throws -> (Payload, URLResponse) {
    do {
      let response = try await transport.send(self.request(request, body, settings))
      guard let head = HTTPURLResponse(response.head, version: response.version, of: response.url)
      else { throw URLError(.badServerResponse) }
      return (try await read(response.body), head)
    } catch {
      throw URLError.translating(error, of: request.url)
    }
  }

  private func request(
    _ request: URLRequest, _ body: RequestBody, _ settings: AuthenticatedSession.Settings
  ) async throws -> TransportRequest {
    guard request.url != nil else { throw URLError(.badURL) }
    guard VaultURLProtocol.canInit(with: request) else { throw URLError(.unsupportedURL) }
    var repeatable = request
    if case .ofRequest = body { repeatable = try await request.withRepeatableBody() }
    var sent = try TransportRequest(repeatable, body: body.sent, configuration)
    if !sent.has("Cookie"), let value = sent.handlers.cookie?(sent.url) {
      sent.fields.append(ResponseHead.Field("Cookie", value))
    }
    sent.options = settings.options
    sent.credential = settings.credential
    sent.handlers.outcome = settings.onOutcome
    sent.handlers.progress = settings.onProgress
    return sent
  }
}
