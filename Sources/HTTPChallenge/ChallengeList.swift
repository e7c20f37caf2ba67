/// The challenges of all `WWW-Authenticate` or `Proxy-Authenticate` fields of a response.
///
/// They are read as RFC 9110 §11.6.1 and §5.6 say. Values without quotes that are not tokens, such
/// as `realm=a/b`, are also accepted, because servers send them. A malformed field that can only
/// mean one challenge is read as browsers read it; the rules are in `Documentation/networking.md`.
///
/// | limit | beyond it |
/// |---|---|
/// | ``longestField``: 65536 bytes a field | the whole field is skipped |
/// | ``mostChallenges``: 32 challenges, skipped ones included | the rest is skipped, as one |
/// | ``longestParameter``: 4096 bytes a value | the challenge is skipped |
/// | 32 parameters of a challenge, 16384 bytes of names and values together | the challenge is skipped |
/// | 64 bytes a scheme | the challenge is skipped |
///
/// A field with a control character other than a tab is skipped as a whole, as RFC 9110 §5.5
/// requires: it may be two fields in one.
package struct ChallengeList: Sendable {
  /// The longest field that is read, in bytes.
  package static let longestField = 65536
  /// The largest number of challenges that are read from one response.
  package static let mostChallenges = 32
  /// The longest value of a parameter, in bytes; the limit for a space's realm is the same.
  package static let longestParameter = 4096

  /// The challenges that could be read, in their order.
  package let challenges: [Challenge]
  /// The challenges that could not be read, in their order.
  package let skipped: [SkippedChallenge]

  /// Reads fields.
  ///
  /// - Parameter fieldValues: The value of each field, in order.
  package init(_ fieldValues: [String]) {
    var reader = ChallengeReader()
    for value in fieldValues { reader.read(value) }
    challenges = reader.challenges
    skipped = reader.skipped
  }

  /// The first challenge with the strongest scheme that answers a single request; the first of all
  /// if there is none, and nil if there is no challenge.
  ///
  /// Digest comes first, by its algorithm, then Bearer, then Basic.
  package var strongest: Challenge? {
    var best: Challenge?
    for challenge in challenges
    where !challenge.isBoundToConnection && best.map({ $0.isWeaker(than: challenge) }) ?? true {
      best = challenge
    }
    return best ?? challenges.first
  }
}

/// A challenge that is ignored, and the reason.
public struct SkippedChallenge: Hashable, Sendable {
  /// The scheme as written, an HTTP token; empty if none could be read.
  public let scheme: String
  /// The reason: lower case, one of a few texts, never text from the server.
  public let reason: String

  /// Creates a skipped challenge with the reason.
  package init(scheme: String, reason: String) {
    self.scheme = scheme
    self.reason = reason
  }
}
