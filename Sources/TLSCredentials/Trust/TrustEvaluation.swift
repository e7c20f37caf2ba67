public import VaultModel

/// The results of evaluating a chain.
public struct TrustEvaluation: Hashable, Sendable {
  /// The result.
  public internal(set) var verdict: TrustVerdict
  /// All reasons against it, also those that the policy or a decision allows.
  public internal(set) var problems: Set<TrustProblem>
  /// The validated path, the leaf first.
  ///
  /// It may be shorter than what was sent, and end in an anchor that was not. It ends early if
  /// there is no anchor.
  public let path: [Certificate]
  /// Whether a pin is missing from the path, of pins that only report
  /// (``PinSet/isReportOnly``).
  public internal(set) var isReported: Bool
  /// The public key that was recorded at the server's first use; nil if there is none, and if no
  /// vault was asked.
  ///
  /// With ``TrustProblem/changedKey``, it is the one that the server had. The one that it has is
  /// that of the first certificate of ``path``.
  public internal(set) var knownKey: Fingerprint?
  /// The item of the decision for which the verdict is ``TrustVerdict/proceed``; nil if it is the
  /// policy's.
  public internal(set) var decision: ItemID?

  init(
    verdict: TrustVerdict, problems: Set<TrustProblem>, path: [Certificate], isReported: Bool
  ) {
    self.verdict = verdict
    self.problems = problems
    self.path = path
    self.isReported = isReported
  }

  /// Whether the server is trusted.
  public var isTrusted: Bool { verdict == .unspecified || verdict == .proceed }

  /// Adds a problem that no decision covers.
  mutating func deny(for problem: TrustProblem) {
    problems.insert(problem)
    if verdict != .fatal { verdict = .deny }
  }
}

extension TrustEvaluation: CustomStringConvertible {
  /// The verdict and the reasons: `recoverable: expired, selfSigned`.
  ///
  /// After a change of the server's key, both keys are named as pins are:
  /// `deny: changedKey (known sha256//…, now sha256//…)`.
  public var description: String {
    let reasons = problems.map(\.rawValue).sorted().joined(separator: ", ")
    let text = reasons.isEmpty ? verdict.rawValue : "\(verdict.rawValue): \(reasons)"
    guard problems.contains(.changedKey), let knownKey, let leaf = path.first else { return text }
    return text + " (known \(knownKey.pin), now \(leaf.publicKeyHash.pin))"
  }
}
