import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

/// A session of one test's own that logs in with a vault in memory, and its outcomes.
final class Client: Sendable {
  let vault = Vault.inMemory()
  let session: AuthenticatedSession
  private let log = Lock<[Outcome.Reason]>([])

  /// The outcomes of each request's authentication so far.
  var outcomes: [Outcome.Reason] { log.withLock { $0 } }

  /// Creates a client whose requests an engine sends.
  init(
    _ engine: Engine, prompt: any CredentialPrompt = NoPrompt(),
    beforeChallenge: BeforeChallenge = .afterSuccess
  ) throws {
    session = try engine.session(
      by: Authenticator(
        vault: vault, prompt: prompt, settings: .init(beforeChallenge: beforeChallenge))
    ) { [log] _, outcome in log.withLock { $0.append(outcome.reason) } }
  }

  /// Creates a client over a session of Foundation's with a delegate.
  init(delegate: (any URLSessionDelegate)? = nil) {
    session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
      .authenticated(by: Authenticator(vault: vault)) { [log] _, outcome in
        log.withLock { $0.append(outcome.reason) }
      }
  }

  /// The session of Foundation's.
  var plain: URLSession {
    get throws { try #require(session.session) }
  }

  /// Stores a credential for a server's realm.
  func store(
    _ user: String = "ann", _ password: String = "right", at server: ScriptedServer,
    realm: String = "Team"
  ) throws {
    _ = try vault.set(
      Credential(user: user, secret: Secret(password), persistence: .session),
      for: ProtectionSpace(
        host: "127.0.0.1", port: server.port, protocol: .http, realm: realm,
        authenticationMethod: .default))
  }
}

extension URLResponse {
  /// The status of an HTTP response; 0 for another.
  var status: Int { (self as? HTTPURLResponse)?.statusCode ?? 0 }
}

extension Data {
  /// The bytes as text.
  var text: String { String(decoding: self, as: UTF8.self) }
}

extension ScriptedServer {
  /// The requests, each as `GET /path`.
  var lines: [String] { requests.map { "\($0.method) \($0.target)" } }
  /// The schemes that requests logged in with; nil for none.
  var schemes: [String?] { requests.map(\.scheme) }
}
