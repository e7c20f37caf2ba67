public import HTTPChallenge
public import SecureMemory
public import VaultModel

/// Gets a token that the vault does not have, or not any more: from an issuer, by a refresh token,
/// or from whoever knows one.
///
/// It is called when a server asks for a token and the vault has none, or only one that has
/// expired, was rejected or lacks a scope. All requests of an ``Authenticator`` that wait for the
/// same token share one call and its result; each sends what it got. A call runs in a task of its
/// own, which is cancelled when no request waits for it any more. It must end by itself: nothing
/// limits its time. A token that it returns all the same is stored.
///
/// - Parameter question: The token that is wanted.
/// - Returns: The token, which is stored as the policy allows; nil to go on without one.
/// - Throws: Any error; it ends all requests that wait for the token, and they throw it, unless
///   another program has stored a token meanwhile.
public typealias TokenRefresh = @Sendable (_ question: TokenQuestion) async throws -> NewToken?

/// The description of a token that is wanted.
public struct TokenQuestion: Sendable {
  /// The reason why the vault's token is not used.
  public enum Cause: Sendable, Hashable {
    /// There is none.
    case missing
    /// It has expired.
    case expired
    /// The server has rejected it.
    case rejected
    /// It lacks a scope that the request needs.
    case insufficientScope
  }

  /// The reason why the vault's token is not used.
  public let cause: Cause
  /// The space of the token: the server or proxy, the realm, and the method `bearer`.
  public let space: ProtectionSpace
  /// The requested URL; it shows neither user nor password.
  public let url: RequestURL
  /// The challenge, with the scope that is needed: text from the network.
  public let challenge: BearerChallenge
  /// The user that the request is for; nil for any.
  public let user: String?
  /// The stored item that the new token replaces, without its secrets; nil if there is none.
  public let item: Item?
  /// The item's refresh token; nil if it has none.
  public let refreshToken: Secret?
}

/// A token, and what its issuer said of it.
public struct NewToken: Sendable {
  /// The token.
  public var token: Secret
  /// The time at which the token expires; nil for never.
  public var expires: Timestamp?
  /// The refresh token for the next one; nil if the item's own stays valid.
  public var refreshToken: Secret?
  /// The account of a new item; an item that is replaced keeps its own.
  public var user: String
  /// The path of a new item, at and below which the token is used; empty for that of
  /// the item whose token it replaces, or else the whole server.
  public var path: String
  /// The persistence of a new item; an item that is replaced stays where it is.
  public var persistence: Persistence
  /// Whether it replaces the token of the question's item, which is then gone; if not, it is a new
  /// item, of the same account.
  public var replacesItem: Bool

  /// Creates a token that is kept for the session.
  public init(
    _ token: Secret, expires: Timestamp? = nil, refreshToken: Secret? = nil, user: String = "",
    path: String = "", persistence: Persistence = .session, replacesItem: Bool = true
  ) {
    self.token = token
    self.expires = expires
    self.refreshToken = refreshToken
    self.user = user
    self.path = path
    self.persistence = persistence
    self.replacesItem = replacesItem
  }
}
