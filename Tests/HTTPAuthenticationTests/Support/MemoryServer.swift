import HTTPAuthentication
import SecureMemory
import VaultModel

/// A server, or a proxy, in memory: it challenges with Basic and keeps a log as a real one does.
final class MemoryServer: Sendable {
  /// What it saw of one request.
  struct Entry: Sendable, Equatable {
    let target: String
    /// The user whose password was right; nil without a field, or if it was wrong.
    let user: String?
    let hasField: Bool
    let status: Int
  }

  private struct State {
    var users: [String: String]
    var log: [Entry] = []
    var status = 200
  }

  /// The realm of a path.
  let realm: @Sendable (String) -> String
  let isProxy: Bool
  private let state: Lock<State>

  init(
    users: [String: String] = ["ann": "right"], isProxy: Bool = false,
    realm: @escaping @Sendable (String) -> String = { _ in "Team" }
  ) {
    self.realm = realm
    self.isProxy = isProxy
    state = Lock(State(users: users))
  }

  var log: [Entry] { state.withLock { $0.log } }
  var statuses: [Int] { log.map(\.status) }

  func setPassword(_ password: String, of user: String) {
    state.withLock { $0.users[user] = password }
  }

  /// What is answered to a good credential.
  func setStatus(_ status: Int) {
    state.withLock { $0.status = status }
  }

  func answer(_ request: HTTPRequest, _ fields: [AuthorizationField]) -> HTTPResponse {
    let name = isProxy ? "Proxy-Authorization" : "Authorization"
    let field = fields.first { $0.name == name }
    return state.withLock { state in
      let user = state.users.first { user, password in
        field.map { Self.isBasic($0.value, of: user, password) } ?? false
      }?.key
      let status = user == nil ? (isProxy ? 407 : 401) : state.status
      state.log.append(
        Entry(target: request.url.target, user: user, hasField: field != nil, status: status))
      guard user == nil else { return HTTPResponse(status: status, fields: []) }
      return HTTPResponse(
        status: status,
        fields: [
          .init(
            isProxy ? "Proxy-Authenticate" : "WWW-Authenticate",
            "Basic realm=\"\(realm(request.url.target))\"")
        ])
    }
  }

  private static func isBasic(_ value: Secret, of user: String, _ password: String) -> Bool {
    let credential = Credential(user: user, secret: Secret(password), persistence: .none)
    guard let expected = try? BasicResponse.value(credential) else { return false }
    return value.isEqual(to: expected)
  }
}

extension Authenticator {
  /// Sends a request to a server in memory.
  @discardableResult
  func get(_ url: String, from server: MemoryServer) async throws -> (status: Int, Outcome) {
    try await get(HTTPRequest(url: RequestURL(url)), from: server)
  }

  @discardableResult
  func get(
    _ request: HTTPRequest, from server: MemoryServer
  ) async throws -> (status: Int, Outcome) {
    try await send(request) { fields in
      let response = server.answer(request, fields)
      return (response, response.status)
    }
  }
}
