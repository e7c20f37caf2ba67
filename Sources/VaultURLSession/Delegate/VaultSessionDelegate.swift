public import CredentialVault
import Dispatch
public import Foundation
public import FoundationNetworking
public import VaultModel

/// Answers a session's challenges out of a vault, for code that keeps its own session.
///
/// Foundation on Linux makes a challenge of one thing only, a 401 with Basic; for all else there is
/// ``AuthenticatedSession``. The default user of the space is tried first, then the others, each once in a task. What the
/// vault cannot answer, the app's delegate is asked; and where that has no answer either, the challenge is cancelled, and
/// the task ends with `URLError.cancelled`, its `response` being the 401: Foundation 6.3.1 never ends a task of which a
/// challenge is left to it.
///
/// Three challenges are not answered out of the vault: one to a request with an `Authorization` field of its own, whose
/// author logs in alone; one that offers Digest, too, where the password would go in clear; and, by nobody, one that came
/// after a redirect to another origin, because Foundation would send the answer to where the request went first.
///
/// A redirect after an answered challenge is not followed, and the task ends with the 3xx: Foundation would send the
/// first request again, password included, until it gives up.
///
/// What it cannot help: Foundation 6.3.1 traps if a task is cancelled in the moment in which a challenge of it is answered, by
/// whomever. ``AuthenticatedSession`` never answers one, and does not have that.
///
/// What it hands out has the persistence `none`, so that the session's storage keeps no copy; a ``VaultCredentialStorage`` of
/// the same vault keeps none anyway, and is told what the server has accepted. It writes nothing itself.
/// The app's delegate is told everything that a session tells its delegate.
public final class VaultSessionDelegate: NSObject, URLSessionDelegate {
  /// Where the credentials are.
  public let vault: Vault
  /// The app's own delegate.
  public let delegate: (any URLSessionDelegate)?
  /// After so many refused credentials a task's challenge is cancelled.
  public let mostFailures: Int
  let onError: @Sendable (VaultError) -> Void
  let tries = Attempts()
  /// Looks into the vault, which may wait for another process.
  let lookups = DispatchQueue(
    label: "credential-vault.VaultSessionDelegate", attributes: .concurrent)

  /// Makes a delegate that passes on what it does not answer.
  ///
  /// - Parameters:
  ///   - vault: Where credentials are found; one that is locked is as one without credentials.
  ///   - delegate: The app's own delegate; it is told everything, and asked what the vault cannot answer.
  ///   - mostFailures: After so many refused credentials a task's challenge is cancelled.
  ///   - onError: Is told why the vault could not be read, on any thread.
  public init(
    _ vault: Vault, passingTo delegate: (any URLSessionDelegate)? = nil, mostFailures: Int = 10,
    onError: @escaping @Sendable (VaultError) -> Void = { _ in }
  ) {
    self.vault = vault
    self.delegate = delegate
    self.mostFailures = mostFailures
    self.onError = onError
  }

  /// Tells the app's delegate.
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    delegate?.urlSession(session, didBecomeInvalidWithError: error)
  }

  /// Asks the app's delegate; Foundation on Linux never does.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let delegate else { return completionHandler(.performDefaultHandling, nil) }
    delegate.urlSession(session, didReceive: challenge, completionHandler: completionHandler)
  }
}
