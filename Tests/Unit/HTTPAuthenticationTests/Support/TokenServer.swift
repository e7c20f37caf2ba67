import HTTPAuthentication
import SecureMemory
import TestSupport
import VaultModel

/// A server in memory that asks for tokens, and keeps a log of those that it got.
final class TokenServer: Sendable {
  private struct State {
    /// The scopes of the tokens that it knows.
    var tokens: [String: Set<String>]
    /// The field of each request: `Bearer`'s token, the whole of another field, nil without one.
    var log: [String?] = []
    var statuses: [Int] = []
  }

  private let realm: String
  private let scope: @Sendable (String) -> String?
  private let lackingStatus: Int
  private let others: [String]
  private let isProxy: Bool
  private let state: Lock<State>

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - tokens: Its tokens, with the scopes of each.
  ///   - realm: Its realm.
  ///   - lackingStatus: What it answers to a token that lacks a scope: 403 as RFC 6750 says, or 401
  ///     as container registries do.
  ///   - others: Further challenges.
  ///   - isProxy: Whether it is a proxy.
  ///   - scope: The scope that a path needs.
  init(
    _ tokens: [String: Set<String>], realm: String = "Team", lackingStatus: Int = 403,
    others: [String] = [], isProxy: Bool = false,
    scope: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    state = Lock(State(tokens: tokens))
    self.realm = realm
    self.lackingStatus = lackingStatus
    self.others = others
    self.isProxy = isProxy
    self.scope = scope
  }

  var log: [String?] { state.withLock { $0.log } }
  var statuses: [Int] { state.withLock { $0.statuses } }

  /// Replaces its tokens.
  func know(_ tokens: [String: Set<String>]) { state.withLock { $0.tokens = tokens } }

  func answer(_ request: RequestHead, _ fields: [AuthorizationField]) -> ResponseHead {
    let text = fields.first { $0.name == (isProxy ? "Proxy-Authorization" : "Authorization") }
      .map { String(decoding: $0.value.array, as: UTF8.self) }
    let token = text.flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
    let scope = scope(request.url.target)
    return state.withLock { state in
      state.log.append(token ?? text)
      let scopes = token.flatMap { state.tokens[$0] }
      let isAllowed = scopes.map { known in scope.map { known.contains($0) } ?? true } ?? false
      let status = isAllowed ? 200 : scopes == nil ? (isProxy ? 407 : 401) : lackingStatus
      state.statuses.append(status)
      guard !isAllowed else { return ResponseHead(status: 200, fields: []) }
      var challenge = "Bearer realm=\"\(realm)\",service=\"registry\""
      if let scope { challenge += ",scope=\"\(scope)\"" }
      if scopes != nil {
        challenge += ",error=\"insufficient_scope\""
      } else if token != nil {
        challenge += ",error=\"invalid_token\""
      }
      return ResponseHead(
        status: status,
        fields: ([challenge] + others).map {
          .init(isProxy ? "Proxy-Authenticate" : "WWW-Authenticate", $0)
        })
    }
  }
}

extension Authenticator {
  /// Sends a request to a server in memory that asks for tokens.
  @discardableResult
  func get(
    _ request: RequestHead, from server: TokenServer
  ) async throws -> (status: Int, Outcome) {
    try await send(request) { fields in
      // As in networks, others run meanwhile.
      await Task.yield()
      let response = server.answer(request, fields)
      return (response, response.status)
    }
  }

  @discardableResult
  func get(_ url: String, from server: TokenServer) async throws -> (status: Int, Outcome) {
    try await get(RequestHead.get(url), from: server)
  }
}

extension Fixture {
  /// Stores a token of a server.
  @discardableResult
  func storeToken(
    _ token: String, at url: String = "https://h/", realm: String = "Team", user: String = ""
  ) throws -> Item {
    try vault.set(
      Credential(token: Secret(token), user: user, persistence: .permanent),
      for: ProtectionSpace(url: url, realm: realm, authenticationMethod: .bearer)
    ).item
  }
}
