/// The challenges of all `WWW-Authenticate` or `Proxy-Authenticate` fields of a response.
///
/// - Source: RFC 9110 §11.6.1 and §11.7.1.
public struct ChallengeList: Sendable {
  /// What could be read, in its order.
  public let challenges: [Challenge]
  /// What could not, in its order.
  public let skipped: [SkippedChallenge]

  /// Reads fields.
  ///
  /// - Parameter fieldValues: The value of each field, in their order.
  public init(_ fieldValues: [String]) {
    challenges = []
    skipped = []
  }
}

/// A challenge that counts for nothing, and why.
public struct SkippedChallenge: Hashable, Sendable {
  /// The scheme as it was written; empty if none could be read.
  public let scheme: String
  /// What is wrong: lower case, one of a few texts, nothing that the server wrote.
  public let reason: String
}
