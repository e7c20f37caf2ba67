public import GSSAuthentication
public import HTTPChallenge
public import VaultModel

/// The outcome of an exchange.
public struct Outcome: Sendable {
  /// The reason why nothing more is sent.
  public enum Reason: Sendable, Hashable {
    /// The response answers the request: it is not a challenge.
    case done
    /// There was no credential.
    case noCredential
    /// The stored credential has expired, and there was no other.
    case expired
    /// Several users' credentials are stored, none is the default, and nobody chose.
    case ambiguous(users: [String])
    /// Credentials were refused, and there is no other.
    case rejected
    /// The credential is right, but access is denied; there is no prompt for another one.
    case refused
    /// The server did not prove that it also knows the password; the response may be forged.
    case unproven
    /// None of these offered schemes is supported.
    case unsupported([AuthenticationMethod])
    /// The token is right, but lacks a scope that the request needs.
    case insufficientScope
    /// The remaining answers would be sent in clear, so none is: a password after Digest was tried,
    /// or a token.
    case downgraded
    /// The server needs a certificate, and none was presented to it.
    case identityRequired
    /// The challenge is from a space that is not expected, and was not answered.
    case unexpected(ProtectionSpace)
    /// The prompt cancelled the request.
    case cancelled
    /// The prompt did not answer in time.
    case unanswered
    /// The login on a connection could not be made, and there was no other answer.
    case mechanismFailed(MechanismProblem)
  }

  /// The reason why nothing more is sent.
  public let reason: Reason
  /// The error if an accepted credential could not be stored; nil if it was, or nothing had to be
  /// stored.
  public let storageError: VaultError?
  /// The unexpected spaces, whose challenges were not answered.
  public let unexpected: [ProtectionSpace]
  /// The challenges of the last response that could not be read.
  public let skipped: [SkippedChallenge]

  /// Returns the same outcome for a reason that only the transport knows.
  package func with(_ reason: Reason) -> Outcome {
    Outcome(reason: reason, storageError: storageError, unexpected: unexpected, skipped: skipped)
  }
}

/// The next step of a client.
public enum Step: Sendable {
  /// Send the request again, with these fields instead of those before.
  case send([AuthorizationField])
  /// Return the response to the caller.
  case finish(Outcome)
}
