package import VaultModel

/// The decisions about one server, as they were when they were read.
package struct ServerKnowledge: Sendable {
  let host: HostName
  var decisions: [TrustDecision]
  /// The pins that the server must satisfy in addition to a policy's.
  var required: PinSet?

  /// Adds what another vault knows; of two decisions about the same, this vault's counts.
  package mutating func add(_ other: ServerKnowledge) {
    decisions += other.decisions
    required = required ?? other.required
  }

  /// Evaluates a chain by a policy and by the decisions, as ``VaultTrust/evaluate(_:for:_:at:)``.
  ///
  /// - Throws: As ``TrustPolicy/evaluate(_:host:at:)``.
  package func evaluate(
    _ chain: [Certificate], _ policy: TrustPolicy, at time: Timestamp = .now()
  ) throws(VaultError) -> TrustEvaluation {
    var (policy, required) = (policy, required)
    if policy.pinning == .none, let pins = required {
      (policy.pinning, policy.pins, required) = (.publicKey, pins, nil)
    }
    var evaluation = try policy.evaluate(chain, host: host, at: time)
    if let required, !required.isSatisfied(by: evaluation.path, .publicKey) {
      if required.isReportOnly {
        evaluation.isReported = true
      } else {
        evaluation.deny(for: .pinMismatch)
      }
    }
    if let leaf = chain.first { evaluation.apply(decisions, to: leaf) }
    return evaluation
  }
}

extension ServerKnowledge: Hashable {
  /// Returns whether both lead to the same evaluations.
  package static func == (left: ServerKnowledge, right: ServerKnowledge) -> Bool {
    left.host == right.host && left.required == right.required
      && left.decisions.map(\.content) == right.decisions.map(\.content)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(host)
    hasher.combine(required)
    hasher.combine(decisions.map(\.content))
  }
}

extension TrustEvaluation {
  /// Applies the decisions about a server to the results of evaluating its chain.
  fileprivate mutating func apply(_ decisions: [TrustDecision], to leaf: Certificate) {
    var covering: ItemID?
    for decision in decisions {
      switch decision.content {
      case .exception(leaf.fingerprint, let covered) where problems.isSubset(of: covered):
        covering = covering ?? decision.id
      case .knownKey(let key, let covered) where knownKey == nil:
        knownKey = key
        if key != leaf.publicKeyHash {
          deny(for: .changedKey)
        } else if problems.isSubset(of: covered) {
          covering = covering ?? decision.id
        }
      case .exception, .knownKey, .pins: continue
      }
    }
    if let covering, verdict == .recoverable {
      verdict = .proceed
      decision = covering
    }
  }
}
