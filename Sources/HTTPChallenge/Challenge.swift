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
