/// The parts of an HTTP client that an ``Authenticator`` needs to log in with it.
///
/// An adapter is some twenty lines; `Documentation/clients.md` in the repository has those of
/// AsyncHTTPClient and Vapor.
public protocol HTTPClientAdapter {
  /// The client's own type of a request, with its body.
  associatedtype Request
  /// The client's own type of a response.
  associatedtype Response

  /// Describes a request: its method and URL, its proxy, and its body if it is at hand.
  ///
  /// - Throws: The error that ``Authenticator/send(_:by:)`` then throws, such as an error of
  ///   ``RequestURL/init(_:)``.
  func head(of request: Request) throws -> RequestHead

  /// Describes a response: its status, and all its fields in their order.
  func head(of response: Response) -> ResponseHead

  /// Sends a request once, with these fields in addition to its own.
  ///
  /// It is called again for each attempt, and must then send the body again. It must not follow
  /// redirects: fields are for one origin only.
  ///
  /// - Throws: The error that ``Authenticator/send(_:by:)`` then throws.
  func send(_ request: Request, adding fields: [AuthorizationField]) async throws -> Response

  /// Reads or drops the body of a response that is followed by another attempt or by an error, so
  /// that its connection is free again; unless implemented, it does nothing.
  ///
  /// - Throws: The error that ``Authenticator/send(_:by:)`` then throws, unless it has an error
  ///   already.
  func discard(_ response: Response) async throws
}

extension HTTPClientAdapter {
  /// Does nothing.
  public func discard(_ response: Response) async throws {}
}

extension Authenticator {
  /// Sends a request by another HTTP client, and answers its challenges until there is nothing more
  /// to answer.
  ///
  /// - Parameters:
  ///   - request: The request, in the client's own type.
  ///   - adapter: The client.
  /// - Returns: The last response, and how the exchange ended.
  /// - Throws: The errors of the adapter; others as ``Exchange/next(after:on:)``.
  public func send<Adapter: HTTPClientAdapter>(
    _ request: Adapter.Request, by adapter: Adapter
  ) async throws -> (Adapter.Response, Outcome) {
    var exchange = try await exchange(for: adapter.head(of: request))
    var fields = exchange.fields
    while true {
      let response = try await adapter.send(request, adding: fields)
      let step: Step
      do {
        step = try await exchange.next(after: adapter.head(of: response))
      } catch {
        // Nobody else gets the response. The first error counts.
        try? await adapter.discard(response)
        throw error
      }
      switch step {
      case .send(let next):
        try await adapter.discard(response)
        fields = next
      case .finish(let outcome): return (response, outcome)
      }
    }
  }
}
