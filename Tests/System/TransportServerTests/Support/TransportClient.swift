import CredentialVault
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultTransport

/// All tests of the transport against the servers that other clients' tests have, in one suite so
/// that they start once.
@Suite("The transport and real servers", .servers) enum TransportAtServers {}

/// A transport with a vault of its own, whose pages are in a folder that no other test requests.
struct TransportClient: ServerClient {
  /// The result of a request.
  struct Visit: Sendable {
    /// The statuses, in the order in which they came.
    let statuses: [Int]
    let response: TransportResponse
    let body: String

    var reason: Outcome.Reason { response.outcome.reason }
  }

  let servers: Servers
  let folder: TemporaryFolder
  let vault: Vault
  let prompt: ScriptedPrompt
  let transport: Transport
  let tag = Self.makeTag()

  /// Creates a client that begins with an empty vault, or with the vault of another client.
  init(
    _ answers: Answer..., proxy: ProxyChoice = .none, before: BeforeChallenge = .afterSuccess,
    after other: TransportClient? = nil
  ) throws {
    servers = try Servers.shared
    prompt = ScriptedPrompt(answers)
    folder = try other?.folder ?? TemporaryFolder()
    vault = try other?.vault ?? Self.makeVault(in: folder)
    var configuration = Transport.Configuration()
    configuration.proxy = proxy
    transport = try Transport(
      authenticator: Authenticator(
        vault: vault, prompt: prompt, settings: .init(beforeChallenge: before)),
      configuration: configuration)
  }

  /// Returns the choice of a proxy.
  static func through(
    _ gate: HTTPServer, _ kind: ProxyServer.Kind = .http
  ) throws -> ProxyChoice {
    .proxy(try ProxyServer(kind, host: "127.0.0.1", port: gate.port))
  }

  /// Gets a page.
  func get(
    _ path: String, at server: HTTPServer? = nil, scheme: String = "http"
  ) async throws -> Visit {
    try await visit(TransportRequest(url(path, at: server, scheme: scheme)))
  }

  /// Sends a request, and reads the response.
  func visit(_ request: TransportRequest) async throws -> Visit {
    try await transport.visit(request)
  }
}

extension TransportRequest {
  /// Creates a GET.
  init(_ url: String) throws { try self.init("GET", url) }
}

extension Transport {
  /// Sends a request, and keeps the status of each response.
  func visit(_ request: TransportRequest) async throws -> TransportClient.Visit {
    let statuses = Lock<[Int]>([])
    var request = request
    request.handlers.response = { _, head in statuses.withLock { $0.append(head.status) } }
    let (response, body) = try await data(for: request)
    return TransportClient.Visit(
      statuses: statuses.withLock(\.self), response: response,
      body: String(decoding: body, as: UTF8.self))
  }
}
