public import HTTPChallenge
public import VaultModel

/// How an exchange ended.
public struct Outcome: Sendable {
  /// Why nothing more is sent.
  public enum Reason: Sendable, Hashable {
    /// The response is the answer to the request: it is no challenge.
    case done
    /// Nobody had a credential.
    case noCredential
    /// What is stored has expired, and nobody had another one.
    case expired
    /// Several users' credentials are stored, none is the default, and nobody chose.
    case ambiguous(users: [String])
    /// Credentials were refused, and there is no other.
    case rejected
    /// The credential is good, and yet it is refused: another one is not asked for.
    case refused
    /// The server did not prove that it knows the password too; its response may be somebody else's.
    case unproven
    /// No scheme that is offered can be answered here; these are offered.
    case unsupported([AuthenticationMethod])
    /// Only Basic in clear is left where Digest was tried: the password is not sent.
    case downgraded
    /// The challenge is from a space that is not expected, and was not answered.
    case unexpected(ProtectionSpace)
    /// The prompt cancelled it.
    case cancelled
    /// The prompt was asked and did not answer in time.
    case unanswered
  }

  /// Why nothing more is sent.
  public let reason: Reason
  /// Why an accepted credential could not be kept; nil if it could, or nothing was to be kept.
  public let storageError: VaultError?
  /// The spaces whose challenges were not expected, and not answered.
  public let unexpected: [ProtectionSpace]
  /// The challenges of the last response that could not be read.
  public let skipped: [SkippedChallenge]
}

/// What a client does next.
public enum Step: Sendable {
  /// Send the request again, with these fields instead of those before.
  case send([AuthorizationField])
  /// The response is what the caller gets.
  case finish(Outcome)
}
