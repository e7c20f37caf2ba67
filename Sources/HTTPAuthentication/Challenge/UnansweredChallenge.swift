public import VaultModel

/// A challenge of a scheme that is not answered here, and what would answer it.
public struct UnansweredChallenge: Hashable, Sendable {
  /// The scheme.
  public let method: AuthenticationMethod
  /// The realm; empty if there is none.
  public let realm: String
  /// The token68 in the place of parameters; empty if there is none.
  public let token: String
}
