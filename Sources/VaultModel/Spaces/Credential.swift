public import SecureMemory

/// The answer to a challenge: a user and a secret of some kind, and how long they are to be kept.
public struct Credential: Sendable {
  /// The user name; empty if the secret alone is sent.
  public var user: String
  /// The password, token or identity, which copies of a credential share.
  public var secret: Secret
  /// The kind of the secret: Bearer takes tokens alone, and no other scheme takes one.
  public var kind: SecretKind
  /// The persistence with which the credential is stored.
  public var persistence: Persistence
  /// The account domain of NTLM; empty otherwise.
  public var accountDomain: String

  /// Creates a credential with a password from its parts; ``Persistence/none`` means that it is
  /// never stored.
  public init(
    user: String, secret: Secret, persistence: Persistence, accountDomain: String = ""
  ) {
    self.user = user
    self.secret = secret
    kind = .password
    self.persistence = persistence
    self.accountDomain = accountDomain
  }

  /// Creates a credential with a token.
  ///
  /// - Parameters:
  ///   - token: The token, visible ASCII, as it is sent.
  ///   - user: The account that the token is for; it is not sent, and tells tokens apart.
  ///   - persistence: How long the token is to be kept; ``Persistence/none`` means that it is never
  ///     stored.
  public init(token: Secret, user: String = "", persistence: Persistence) {
    self.init(user: user, secret: token, persistence: persistence)
    kind = .token
  }
}
