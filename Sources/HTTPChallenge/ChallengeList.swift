/// The challenges of all `WWW-Authenticate` or `Proxy-Authenticate` fields of a response.
///
/// Read as RFC 9110 §11.6.1 and §5.6 say, and a little more that servers send: values without quotes that are no
/// tokens, such as `realm=a/b`.
///
/// | limit | beyond it |
/// |---|---|
/// | ``longestField``: 65536 bytes a field | the whole field is skipped |
/// | ``mostChallenges``: 32 challenges, skipped ones included | the rest is skipped, as one |
/// | ``longestParameter``: 4096 bytes a value | the challenge is skipped |
/// | 32 parameters of a challenge, 16384 bytes of names and values together | the challenge is skipped |
/// | 64 bytes a scheme | the challenge is skipped |
///
/// A field with a control character that is no tabulator is skipped as a whole, as RFC 9110 §5.5 has it: it may be
/// two fields in one.
public struct ChallengeList: Sendable {
  /// The longest field that is read, in bytes.
  public static let longestField = 65536
  /// The most challenges that are read of one response.
  public static let mostChallenges = 32
  /// The longest value of a parameter, in bytes; as long as the realm of a space may be.
  public static let longestParameter = 4096

  /// What could be read, in its order.
  public let challenges: [Challenge]
  /// What could not, in its order.
  public let skipped: [SkippedChallenge]

  /// Reads fields.
  ///
  /// - Parameter fieldValues: The value of each field, in their order.
  public init(_ fieldValues: [String]) {
    var reader = ChallengeReader()
    for value in fieldValues { reader.read(value) }
    challenges = reader.challenges
    skipped = reader.skipped
  }

  /// The first of those that are answered with the strongest scheme; nil if there is no challenge at all.
  ///
  /// Digest by its algorithm, then Basic, then what is not answered here.
  package var strongest: Challenge? {
    var best: Challenge?
    for challenge in challenges where best.map({ $0.isWeaker(than: challenge) }) ?? true {
      best = challenge
    }
    return best
  }
}

/// A challenge that counts for nothing, and why.
public struct SkippedChallenge: Hashable, Sendable {
  /// The scheme as it was written, an HTTP token; empty if none could be read.
  public let scheme: String
  /// What is wrong: lower case, one of a few texts, nothing that the server wrote.
  public let reason: String

  /// Says what is wrong with a challenge.
  package init(scheme: String, reason: String) {
    self.scheme = scheme
    self.reason = reason
  }
}
