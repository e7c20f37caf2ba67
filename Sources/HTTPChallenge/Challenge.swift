public import VaultModel

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field.
///
/// - Source: RFC 9110 §11.3.
public enum Challenge: Hashable, Sendable {
  /// RFC 7617.
  case basic(BasicChallenge)
  /// RFC 7616.
  case digest(DigestChallenge)
  /// A scheme that is not answered here, known or unknown.
  case unanswered(UnansweredChallenge)

  /// The scheme.
  public var method: AuthenticationMethod {
    switch self {
    case .basic: .basic
    case .digest: .digest
    case .unanswered(let challenge): challenge.method
    }
  }

  /// The realm, exactly as the server wrote it; empty if it named none.
  public var realm: String {
    switch self {
    case .basic(let challenge): challenge.realm
    case .digest(let challenge): challenge.realm
    case .unanswered(let challenge): challenge.realm
    }
  }
}

extension Challenge {
  /// Returns whether the other challenge uses a stronger scheme.
  func isWeaker(than other: Challenge) -> Bool {
    switch (self, other) {
    case (.digest(let mine), .digest(let theirs)): mine.algorithm < theirs.algorithm
    case (.digest, _), (.basic, .basic), (_, .unanswered): false
    case (_, .digest), (.unanswered, .basic): true
    }
  }
}

/// A challenge to send user and password in clear.
///
/// - Source: RFC 7617 §2.
public struct BasicChallenge: Sendable {
  /// The realm.
  public let realm: String
  /// Whether the server says that it reads UTF-8, which is sent in any case.
  public let isUTF8: Bool

  /// Creates a challenge from its parts, without control characters.
  package init(realm: String, isUTF8: Bool = false) {
    self.realm = realm
    self.isUTF8 = isUTF8
  }
}

extension BasicChallenge: Hashable {
  /// Returns whether both have the same contents, byte for byte.
  public static func == (left: BasicChallenge, right: BasicChallenge) -> Bool {
    left.isUTF8 == right.isUTF8 && left.realm.hasSameBytes(as: right.realm)
  }

  /// Hashes the realm's bytes.
  public func hash(into hasher: inout Hasher) {
    realm.hashBytes(into: &hasher)
  }
}
