public import SecureMemory

/// The answer to a challenge: a user and a secret, and how long they are to be kept.
public struct Credential: Sendable {
  /// The user name; empty if the secret alone is sent.
  public var user: String
  /// The password, token or identity, which copies of a credential share.
  public var secret: Secret
  /// How long the credential is to be kept.
  public var persistence: Persistence
  /// The account domain of NTLM; empty otherwise.
  public var accountDomain: String

  /// Creates a credential from its parts; ``Persistence/none`` means that it is never stored.
  public init(
    user: String, secret: Secret, persistence: Persistence, accountDomain: String = ""
  ) {
    self.user = user
    self.secret = secret
    self.persistence = persistence
    self.accountDomain = accountDomain
  }
}
