import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import URLSessionTesting
import VaultModel
import VaultURLSession

/// A vault, and functions that observe requests.
struct SessionFixture {
  let vault: Vault

  init(_ vault: Vault = .inMemory()) {
    self.vault = vault
  }

  /// A session with a storage of its own.
  var session: URLSession { URLSession(configuration: .ephemeral) }

  /// Stores credentials of a server, in the order of their users; those of a vault in memory for
  /// the session.
  func store(
    _ users: KeyValuePairs<String, String>, at server: ScriptedServer, realm: String = "Team",
    defaultUser: String? = nil
  ) throws {
    let space = try ProtectionSpace(
      host: "127.0.0.1", port: server.port, protocol: .http, realm: realm)
    for (user, password) in users {
      try vault.set(
        Credential(
          user: user, secret: Secret(password),
          persistence: vault.path == nil ? .session : .permanent),
        for: space)
    }
    if let defaultUser { try vault.setDefaultUser(defaultUser, for: space) }
  }

  /// Returns an app's own session with our delegate.
  func appSession(
    _ app: (any URLSessionDelegate)? = nil, storage: URLCredentialStorage? = nil,
    mostFailures: Int = 10
  ) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCredentialStorage = storage
    return URLSession(
      configuration: configuration,
      delegate: VaultSessionDelegate(vault, passingTo: app, mostFailures: mostFailures),
      delegateQueue: nil)
  }
}

extension Engine {
  /// Returns a session that logs in from a vault; over Foundation's, that session or a new one.
  func session(
    _ configuration: URLSessionConfiguration = .ephemeral, over plain: URLSession? = nil,
    by vault: Vault, prompt: any CredentialPrompt = NoPrompt()
  ) throws -> AuthenticatedSession {
    if self == .foundation, let plain { return plain.authenticated(by: vault, prompt: prompt) }
    return try session(configuration, by: Authenticator(vault: vault, prompt: prompt))
  }
}

/// Returns the outcome of a load: status and body, or the error's code.
func outcome(_ load: () async throws -> (Data, URLResponse)) async -> String {
  do {
    let (data, response) = try await load()
    let text = String(decoding: data, as: UTF8.self)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    return text.isEmpty ? "\(status)" : "\(status) \(text)"
  } catch let error as URLError {
    return "error \(error.code.rawValue)"
  } catch let error as VaultError {
    return "vault error \(error.code)"
  } catch {
    return "error \(type(of: error))"
  }
}

/// Returns whether an unrelated session still loads something.
func unrelated() async throws -> String {
  let server = try ScriptedServer { _ in ScriptedResponse() }
  let session = URLSession(configuration: .ephemeral)
  return await "unrelated " + outcome { try await session.data(from: server.url()) }
}

extension ScriptedServer {
  /// The schemes of the received fields, `none` for a request without one.
  var schemes: String {
    "fields: " + requests.map { $0.scheme ?? "none" }.joined(separator: " ")
  }

  /// The users of the received Basic fields, right or not.
  var users: String {
    requests.compactMap(\.authorization).compactMap { field in
      Data(base64Encoded: String(field.dropFirst("Basic ".count))).flatMap {
        String(decoding: $0, as: UTF8.self).split(separator: ":").first.map(String.init)
      }
    }.joined(separator: " ")
  }

  var sent: String { "\(requests.count) sent" }
}

/// Runs a scenario over an engine, if it is of both, and returns the observations.
func play(_ scenario: Scenario, _ engine: Engine) async throws -> [String] {
  switch scenario {
  case .nobodyAnswers: try await nobodyAnswers(engine)
  case .storageWithoutDelegate: try await storageWithoutDelegate(engine)
  case .wrongPassword: try await wrongPassword(engine)
  case .defaultUser: try await defaultUser(engine)
  case .manyAtOnce: try await manyAtOnce(engine)
  case .secondRequest: try await secondRequest(engine)
  case .userInURL: try await userInURL(engine)
  case .ownField: try await ownField(engine)
  case .redirectAfterChallenge: try await redirectAfterChallenge(engine)
  case .digest: try await digest(engine)
  case .digestAndBasic: try await digestAndBasic(engine)
  case .otherSchemes: try await otherSchemes(engine)
  case .proxyStatus: try await proxyStatus(engine)
  case .timeout: try await timeout(engine)
  case .cancelledTasks: try await cancelledTasks(engine)
  case .cancelledHandlers: try await cancelledHandlers(engine)
  case .delegateNobodyAnswers: try await delegateNobodyAnswers()
  case .delegateWrongPassword: try await delegateWrongPassword()
  case .delegateSeveralUsers: try await delegateSeveralUsers()
  case .delegateDefaultUser: try await delegateDefaultUser()
  case .delegateAppAnswers: try await delegateAppAnswers()
  case .delegateAppMisbehaves: try await delegateAppMisbehaves()
  case .delegateSessionLevel: try await delegateSessionLevel()
  case .delegateSender: try await delegateSender()
  case .delegateChallenge: try await delegateChallenge()
  case .delegateRedirect: try await delegateRedirect()
  case .delegateOtherOrigin: try await delegateOtherOrigin()
  case .delegateDigestAndBasic: try await delegateDigestAndBasic()
  case .delegateStorage: try await delegateStorage()
  case .delegateManyAtOnce: try await delegateManyAtOnce()
  case .sessionOfVault: try await sessionOfVault()
  case .blockedVault: try await blockedVault()
  case .credentialValues: try credentialValues()
  case .defaultInStorage: try defaultInStorage()
  }
}
