import HTTPAuthentication
import HTTPChallenge
import SecureMemory
import VaultModel

/// A server, or a proxy, in memory: it challenges as configured and keeps a log as a real one does.
final class MemoryServer: Sendable {
  /// The server's record of one request.
  struct Entry: Sendable, Equatable {
    let target: String
    /// The user whose password was right; nil without a field, or if it was wrong.
    let user: String?
    /// The scheme of the field; nil without one.
    let scheme: String?
    let status: Int

    var hasField: Bool { scheme != nil }
  }

  private struct State {
    var users: [String: String]
    var offers: [AuthenticationMethod]
    var log: [Entry] = []
    var status = 200
    var nonce = 1
    var isAlwaysStale = false
    /// Nonces that were given out and not used; nil if each may be used for ever.
    var unused: Set<String>?

    /// Returns the nonce for a challenge.
    mutating func giveNonce() -> String {
      if unused != nil { nonce += 1 }
      let text = text
      unused?.insert(text)
      return text
    }

    /// Returns whether a nonce is valid, at least for this one time.
    mutating func take(_ used: String) -> Bool {
      if unused == nil { return used == text && !isAlwaysStale }
      return unused?.remove(used) != nil
    }

    private var text: String { "nonce \(nonce)" }
  }

  /// The realm of a path.
  let realm: @Sendable (String) -> String
  let isProxy: Bool
  private let state: Lock<State>

  init(
    users: [String: String] = ["ann": "right"], offers: [AuthenticationMethod] = [.basic],
    isProxy: Bool = false, realm: @escaping @Sendable (String) -> String = { _ in "Team" }
  ) {
    self.realm = realm
    self.isProxy = isProxy
    state = Lock(State(users: users, offers: offers))
  }

  var log: [Entry] { state.withLock { $0.log } }
  var statuses: [Int] { log.map(\.status) }
  var schemes: [String?] { log.map(\.scheme) }

  func setPassword(_ password: String, of user: String) {
    state.withLock { $0.users[user] = password }
  }

  func setOffers(_ offers: [AuthenticationMethod]) {
    state.withLock { $0.offers = offers }
  }

  /// Sets the answer to a good credential.
  func setStatus(_ status: Int) {
    state.withLock { $0.status = status }
  }

  /// Forgets the nonce: a response that was made with it is stale.
  func renewNonce() {
    state.withLock { $0.nonce += 1 }
  }

  /// Calls every good Digest response stale.
  func callEverythingStale() {
    state.withLock { $0.isAlwaysStale = true }
  }

  /// Takes each nonce for one request, and gives a new one with each challenge.
  func takeNoncesOnce() {
    state.withLock { $0.unused = [] }
  }

  func answer(_ request: RequestHead, _ fields: [AuthorizationField]) -> ResponseHead {
    let name = isProxy ? "Proxy-Authorization" : "Authorization"
    let field = fields.first { $0.name == name }
    return state.withLock { state in
      let realm = realm(request.url.target)
      let user = state.users.first { user, password in
        let credential = Credential(user: user, secret: Secret(password), persistence: .none)
        return field.map { field in
          state.offers.contains(field.digest == nil ? .basic : .digest)
            && Self.is(field, of: credential, request, realm)
        } ?? false
      }?.key
      let isStale = field?.digest.map { !state.take($0.nonce) } ?? false
      let status = user == nil || isStale ? (isProxy ? 407 : 401) : state.status
      state.log.append(
        Entry(
          target: request.url.target, user: user,
          scheme: field.map { $0.digest == nil ? "basic" : "digest" }, status: status))
      guard user == nil || isStale else { return ResponseHead(status: status, fields: []) }
      let nonce = state.giveNonce()
      let challenges = state.offers.map { method in
        method == .basic
          ? "Basic realm=\"\(realm)\""
          : "Digest realm=\"\(realm)\", nonce=\"\(nonce)\", qop=\"auth\""
            + (user != nil && isStale ? ", stale=true" : "")
      }
      return ResponseHead(
        status: status,
        fields: challenges.map { .init(isProxy ? "Proxy-Authenticate" : "WWW-Authenticate", $0) })
    }
  }

  /// Returns whether a field proves a credential, recomputed from its clear parameters.
  private static func `is`(
    _ field: AuthorizationField, of credential: Credential, _ request: RequestHead, _ realm: String
  ) -> Bool {
    guard let digest = field.digest else {
      guard let expected = try? BasicResponse.value(credential) else { return false }
      return field.value.isEqual(to: expected)
    }
    let text = field.value.withRawBytes { bytes in
      // A view of bytes, read within the closure.
      unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
    guard let count = UInt32(parameter("nc", of: text), radix: 16),
      let expected = try? DigestResponse(
        to: DigestChallenge(realm: realm, nonce: digest.nonce), nonce: digest.nonce,
        clientNonce: parameter("cnonce", of: text), count: count, credential: credential,
        method: request.isTunnelled && field.isProxy ? "CONNECT" : request.method,
        uri: parameter("uri", of: text))
    else { return false }
    return field.value.isEqual(to: expected.value)
  }

  private static func parameter(_ name: String, of text: String) -> String {
    let parts = text.split(separator: ",").map { $0.drop { $0 == " " } }
    let part = parts.first { $0.hasPrefix("\(name)=") } ?? ""
    return part.dropFirst(name.count + 1).filter { $0 != "\"" }
  }
}

extension Authenticator {
  /// Sends a request to a server in memory, perhaps through a proxy there.
  @discardableResult
  func get(
    _ url: String, from server: MemoryServer
  ) async throws -> (status: Int, Outcome) {
    try await get(RequestHead(url: RequestURL(url)), from: server)
  }

  @discardableResult
  func get(
    _ request: RequestHead, from server: MemoryServer, through proxy: MemoryServer? = nil
  ) async throws -> (status: Int, Outcome) {
    try await send(request) { fields in
      // As in networks, others run meanwhile.
      await Task.yield()
      if let response = proxy?.answer(request, fields), response.status == 407 {
        return (response, response.status)
      }
      let response = server.answer(request, fields)
      return (response, response.status)
    }
  }
}
