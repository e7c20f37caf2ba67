import HTTPAuthentication

/// Somebody's window, where users log in.
protocol LoginWindow: Sendable {
  func login(to space: ProtectionSpace) async -> (user: String, secret: Secret)?
}

/// A window that blocks the calling thread until somebody has answered.
struct ModalWindow {
  func login(_ question: Question) -> Answer { .cancel(.request) }
}

struct WindowPrompt: CredentialPrompt {
  let window: any LoginWindow

  func answer(_ question: Question) async -> Answer {
    guard let (user, secret) = await window.login(to: question.space) else {
      return .cancel(.request)
    }
    return .use(Credential(user: user, secret: secret, persistence: .permanent))
  }
}

/// The Swift of the article: the type above, and each function's body, is one of its snippets.
struct LoggingIn {
  /// Somebody's HTTP client.
  struct Client {
    func send(
      _ request: RequestHead, adding fields: [AuthorizationField]
    ) async throws -> (ResponseHead, String) {
      (ResponseHead(status: 200, fields: []), "page")
    }

    func sendAndWait(
      _ request: RequestHead, adding fields: [AuthorizationField]
    ) throws -> (ResponseHead, String) {
      (ResponseHead(status: 200, fields: []), "page")
    }
  }

  func get(
    _ vault: Vault, _ prompt: any CredentialPrompt, _ client: Client
  ) async throws -> String? {
    let authenticator = Authenticator(vault: vault, prompt: prompt)
    let request = RequestHead(url: try RequestURL("https://git.example.com/team/page"))
    let (page, outcome) = try await authenticator.send(request) { fields in
      // The client's own: it adds these fields to its others and follows no redirect.
      try await client.send(request, adding: fields)
    }
    return outcome.reason == .done ? page : nil
  }

  func drive(
    _ authenticator: Authenticator, _ request: RequestHead, _ client: Client
  ) async throws -> (String, Outcome) {
    var exchange = try await authenticator.exchange(for: request)
    var fields = exchange.fields
    while true {
      let (response, page) = try await client.send(request, adding: fields)
      switch try await exchange.next(after: response) {
      case .send(let next): fields = next
      case .finish(let outcome): return (page, outcome)
      }
    }
  }

  func block(
    _ authenticator: Authenticator, _ request: RequestHead, _ client: Client, _ window: ModalWindow
  ) throws -> String? {
    let (page, outcome) = try authenticator.send(request, asking: window.login) { fields in
      try client.sendAndWait(request, adding: fields)
    }
    return outcome.reason == .done ? page : nil
  }

  func proxied(_ url: RequestURL) throws -> RequestHead {
    let proxy = try Proxy(host: "proxy.example.com", port: 3128)
    return RequestHead(url: url, proxy: proxy)
  }

  func answer(
    _ response: ResponseHead, _ request: RequestHead, _ credential: Credential,
    _ client: Client
  ) async throws -> ChallengeResponder.Verdict {
    let responder = try ChallengeResponder(response, to: request)
    let field = try responder.field(for: credential, of: request)
    let (second, _) = try await client.send(request, adding: [field])
    return try responder.judge(second, to: field, of: request)
  }
}
