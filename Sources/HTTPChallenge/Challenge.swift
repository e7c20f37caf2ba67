package import VaultModel

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field.
///
/// - Source: RFC 9110 §11.3.
package enum Challenge: Hashable, Sendable {
  /// RFC 7617.
  case basic(BasicChallenge)
  /// RFC 7616.
  case digest(DigestChallenge)
  /// RFC 6750.
  case bearer(BearerChallenge)
  /// RFC 4559, and NTLM.
  case connection(ConnectionChallenge)
  /// A scheme that is not answered here, known or unknown.
  case unanswered(UnansweredChallenge)

  /// The scheme.
  package var method: AuthenticationMethod {
    switch self {
    case .basic: .basic
    case .digest: .digest
    case .bearer: .bearer
    case .connection(let challenge): challenge.method
    case .unanswered(let challenge): challenge.method
    }
  }

  /// The realm, exactly as the server wrote it; empty if it named none.
  package var realm: String {
    switch self {
    case .basic(let challenge): challenge.realm
    case .digest(let challenge): challenge.realm
    case .bearer(let challenge): challenge.realm
    case .connection: ""
    case .unanswered(let challenge): challenge.realm
    }
  }
}

extension Challenge {
  /// The challenge as a field value; reading it gives the same challenge.
  package var fieldValue: String {
    switch self {
    case .basic(let challenge): challenge.fieldValue
    case .digest(let challenge): challenge.fieldValue
    case .bearer(let challenge): challenge.fieldValue
    case .connection(let challenge): challenge.fieldValue
    case .unanswered(let challenge): challenge.fieldValue
    }
  }

  /// Returns whether the other challenge uses a stronger scheme, or for Digest a stronger
  /// algorithm.
  package func isWeaker(than other: Challenge) -> Bool {
    if case .digest(let mine) = self, case .digest(let theirs) = other {
      return mine.algorithm < theirs.algorithm
    }
    return strength < other.strength
  }

  /// Whether only a client that tells connections apart can answer it.
  package var isBoundToConnection: Bool { if case .connection = self { true } else { false } }

  private var strength: Int { if case .unanswered = self { 0 } else { method.strength } }
}

extension ChallengeDraft {
  /// Interprets the challenge.
  func reading() -> Reading {
    if let problem { return .malformed(problem) }
    let method = AuthenticationMethod(rawValue: scheme.lowercasedASCII)
    switch method {
    case .basic: return BasicChallenge.reading(self)
    case .digest: return DigestChallenge.reading(self)
    case .bearer: return BearerChallenge.reading(self)
    case .negotiate, .ntlm: return ConnectionChallenge.reading(self, method)
    default:
      return .challenge(
        .unanswered(UnansweredChallenge(method: method, token: token, parameters: parameters)))
    }
  }
}
