import CredentialVault
import Foundation
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import TestSupport
import Testing
import VaultModel

/// All tests against real servers, in one suite so that they start once.
@Suite("Real servers", .servers) enum RealServers {}

/// An HTTP client with a vault of its own, whose pages are in a folder that no other test requests.
struct Client: ServerClient {
  /// The result of a request.
  struct Visit: Sendable {
    /// The statuses, in the order in which they came.
    let statuses: [Int]
    let reply: CurlReply
    let outcome: Outcome
  }

  let servers: Servers
  let folder: TemporaryFolder
  let vault: Vault
  let prompt: ScriptedPrompt
  let authenticator: Authenticator
  let tag = Self.makeTag()

  /// Creates a client that begins with an empty vault, or with the vault of another client.
  init(
    _ answers: Answer..., before: BeforeChallenge = .afterSuccess,
    expected: [ExpectedSpace]? = nil, after other: Client? = nil, keys: [KeySource] = []
  ) throws {
    try self.init(answers, before: before, expected: expected, after: other, keys: keys)
  }

  /// Creates a client as above.
  init(
    _ answers: [Answer], before: BeforeChallenge = .afterSuccess,
    expected: [ExpectedSpace]? = nil, after other: Client? = nil, keys: [KeySource] = []
  ) throws {
    servers = try Servers.shared
    prompt = ScriptedPrompt(answers, keys: keys)
    if let other {
      folder = other.folder
      vault = other.vault
    } else {
      folder = try TemporaryFolder()
      vault = try Self.makeVault(in: folder)
    }
    authenticator = Authenticator(
      vault: vault, prompt: prompt, settings: .init(beforeChallenge: before, expected: expected))
  }

  // MARK: Requests

  /// Returns the authenticator's description of a page, such as "basic/1".
  ///
  /// Through a tunnel the page is `https` to it, although there is no TLS inside: only
  /// ``send(_:_:at:through:isTunnelled:)`` knows.
  func request(
    _ path: String, at server: HTTPServer? = nil, through gate: HTTPServer? = nil,
    isTunnelled: Bool = false
  ) throws -> RequestHead {
    RequestHead(
      url: try RequestURL(url(path, at: server, scheme: isTunnelled ? "https" : "http")),
      proxy: try gate.map { try Proxy(host: "127.0.0.1", port: $0.port) })
  }

  /// Sends a request for a page with these fields.
  func send(
    _ path: String, _ fields: [AuthorizationField], at server: HTTPServer? = nil,
    through gate: HTTPServer? = nil, isTunnelled: Bool = false
  ) async throws -> CurlReply {
    try await CurlClient.send(
      curlRequest(url(path, at: server), fields, through: gate, isTunnelled: isTunnelled))
  }

  /// Gets a page, and answers challenges.
  func get(
    _ path: String, at server: HTTPServer? = nil, through gate: HTTPServer? = nil,
    isTunnelled: Bool = false,
    watching watch: @Sendable (CurlReply) async throws -> Void = { _ in }
  ) async throws -> Visit {
    try await get(
      path, request(path, at: server, through: gate, isTunnelled: isTunnelled), at: server,
      through: gate, isTunnelled: isTunnelled, watching: watch)
  }

  /// Gets a page as above, with a description of the request.
  func get(
    _ path: String, _ request: RequestHead, at server: HTTPServer? = nil,
    through gate: HTTPServer? = nil, isTunnelled: Bool = false,
    watching watch: @Sendable (CurlReply) async throws -> Void = { _ in }
  ) async throws -> Visit {
    var statuses: [Int] = []
    let (reply, outcome) = try await authenticator.send(request) { fields in
      let reply = try await send(
        path, fields, at: server, through: gate, isTunnelled: isTunnelled)
      statuses.append(reply.status)
      try await watch(reply)
      return (reply.response, reply)
    }
    return Visit(statuses: statuses, reply: reply, outcome: outcome)
  }

  /// Sends the same request with curl's own authentication.
  func reference(
    _ path: String, at server: HTTPServer? = nil, through gate: HTTPServer? = nil,
    isTunnelled: Bool = false, _ login: CurlRequest.Login?, proxy: CurlRequest.Login? = nil
  ) async throws -> CurlReply {
    var request = curlRequest(
      url(path, at: server), [], through: gate, isTunnelled: isTunnelled)
    request.login = login
    request.proxyLogin = proxy
    return try await CurlClient.send(request)
  }

  private func curlRequest(
    _ url: String, _ fields: [AuthorizationField], through gate: HTTPServer?, isTunnelled: Bool
  ) -> CurlRequest {
    var request = CurlRequest(url: url, fields: fields)
    request.proxy = gate.map { "http://127.0.0.1:\($0.port)" }
    request.isTunnelled = isTunnelled
    return request
  }
}
