import VaultModel

/// The synchronous forms, for clients that have a thread for each request and no tasks.
extension Exchange {
  /// Takes a response and returns the next step; blocks the calling thread until it is known.
  ///
  /// A task must call the asynchronous form: there are few threads for tasks.
  ///
  /// - Parameters:
  ///   - response: The response to the request with ``fields``. For a tunnelled request, only a 407
  ///     to `CONNECT` is the proxy's. A 407 through the tunnel is the server's: do not pass it in,
  ///     because the server must not be taken for the proxy.
  ///   - connection: The connection that it came on, as for the asynchronous form.
  /// - Returns: The step: send the request again, or return this response to the caller.
  /// - Throws: ``VaultError/Code/locked`` if nobody unlocked the vault: unlock it, and pass the
  ///   same response again; ``VaultError/Code/authenticationFailed`` if all keys for it were wrong;
  ///   the same if ``Authenticator/Settings/requiresProof`` is set and the response does not prove
  ///   who sent it; ``VaultError/Code/invalidArgument`` from within a transaction of one of the
  ///   vaults;
  ///   ``VaultError/Code/damaged``, ``VaultError/Code/busy`` and others from the vault; any error
  ///   of the authenticator's ``TokenRefresh``.
  public mutating func next(
    after response: ResponseHead, on connection: ClientConnection? = nil
  ) throws -> Step {
    try requireNoTransaction()
    let exchange = self
    let end = CallingThread<End>.wait { _ in
      await exchange.nextAndResult(after: response, on: connection)
    }
    self = end.exchange
    return try end.result.get()
  }

  /// Does what the synchronous ``next(after:on:)`` does, and asks a closure instead of the
  /// authenticator's prompt.
  ///
  /// All such calls of one authenticator that wait for the same credential share one question, so
  /// the answer may come from another call's closure. The vault's key is still asked of the
  /// authenticator's prompt.
  ///
  /// - Parameters:
  ///   - response: The response to the request with ``fields``.
  ///   - connection: The connection that it came on, as for the asynchronous form.
  ///   - answer: Answers for a credential that is not in the vault; called on this thread, as often
  ///     as answers are rejected. If it throws, only this request fails; others that wait for the
  ///     same credential ask their own closures.
  /// - Returns: The step.
  /// - Throws: Any error of `answer`; others as ``next(after:on:)``.
  public mutating func next(
    after response: ResponseHead, on connection: ClientConnection? = nil,
    asking answer: (Question) throws -> Answer
  ) throws -> Step {
    try requireNoTransaction()
    let exchange = self
    var failure: (any Error)?
    let end = CallingThread<End>.wait { question in
      do {
        return try answer(question)
      } catch {
        failure = error
        return .cancel(.request)
      }
    } for: { thread in
      var exchange = exchange
      exchange.ask(thread)
      var end = await exchange.nextAndResult(after: response, on: connection)
      end.exchange.ask(nil)
      return end
    }
    self = end.exchange
    if let failure { throw failure }
    return try end.result.get()
  }

  /// An exchange after a response, also if it failed, and the next step.
  private typealias End = (exchange: Exchange, result: Result<Step, any Error>)

  private func nextAndResult(
    after response: ResponseHead, on connection: ClientConnection?
  ) async -> End {
    var exchange = self
    do {
      let step = try await exchange.next(after: response, on: connection)
      return (exchange, .success(step))
    } catch {
      return (exchange, .failure(error))
    }
  }
}

extension Authenticator {
  /// Does what the asynchronous form does, blocks the calling thread until it is done, and asks a
  /// closure instead of the authenticator's prompt, as ``Exchange/next(after:on:asking:)`` does.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - answer: Answers for a credential that is not in the vault; called on this thread.
  ///   - transport: Sends the request with these fields and its own, as for the asynchronous form.
  /// - Returns: The last response, and how the exchange ended.
  /// - Throws: The errors of the transport and of `answer`; others as ``Exchange/next(after:on:)``.
  public func send<Response>(
    _ request: RequestHead, asking answer: (Question) throws -> Answer,
    _ transport: ([AuthorizationField]) throws -> (ResponseHead, Response)
  ) throws -> (Response, Outcome) {
    var exchange = try exchange(for: request)
    var fields = exchange.fields
    while true {
      let (description, response) = try transport(fields)
      switch try exchange.next(after: description, asking: answer) {
      case .send(let next): fields = next
      case .finish(let outcome): return (response, outcome)
      }
    }
  }
}
