package import FoundationNetworking
package import HTTPAuthentication
package import VaultModel
import VaultTransport
package import VaultURLSession

/// What sends the requests of an `AuthenticatedSession`; tests that are of both run over each.
package enum Engine: String, CaseIterable, Sendable {
  case transport
  case foundation

  /// Returns a session that uses this engine.
  package func session(
    _ configuration: URLSessionConfiguration = .ephemeral, by authenticator: Authenticator,
    onOutcome: URLSession.OutcomeHandler? = nil
  ) throws(VaultError) -> AuthenticatedSession {
    switch self {
    case .transport:
      try AuthenticatedSession(
        transport: Transport(authenticator: authenticator), configuration: configuration,
        onOutcome: onOutcome)
    case .foundation:
      URLSession(configuration: configuration).authenticated(
        by: authenticator, onOutcome: onOutcome)
    }
  }
}
