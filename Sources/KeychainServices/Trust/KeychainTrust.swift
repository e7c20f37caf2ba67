import SecureMemory
package import TLSCredentials
package import VaultModel

/// A policy of Apple's: what a chain has to be for.
package enum KeychainTrustPolicy: Hashable, Sendable {
  /// A valid chain (`SecPolicyCreateBasicX509`).
  case basic
  /// A chain of a server, or of a client, for a host if that is not nil (`SecPolicyCreateSSL`).
  case ssl(isServer: Bool, host: String?)
  /// A chain without a revoked certificate (`SecPolicyCreateRevocation`). Nothing is fetched, so a
  /// positive response, if it is required, is always missing.
  case revocation(requiresResponse: Bool)

  /// Creates a revocation policy of Apple's flags (SecPolicy.h).
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for none, and for an unknown one.
  package init(revocationFlags flags: UInt) throws(VaultError) {
    guard flags > 0, flags <= 0x1F else {
      throw VaultError(.invalidArgument, "no flags of a revocation policy")
    }
    self = .revocation(requiresResponse: flags & 8 != 0)
  }

  /// Evaluates a chain, as `SecTrust` does without a person's settings.
  fileprivate func evaluate(
    _ chain: [Certificate], _ anchors: TrustAnchors, at time: Timestamp
  ) throws(VaultError) -> (verdict: TrustVerdict, problems: Set<TrustProblem>, path: [Certificate])
  {
    var policy = TrustPolicy(anchors: anchors)
    var (host, isNoHost) = (HostName?.none, false)
    switch self {
    case .basic, .revocation: policy.purpose = .any
    case .ssl(let isServer, let text):
      policy.purpose = isServer ? .server : .client
      do throws(VaultError) {
        host = try text.map { (text) throws(VaultError) in try HostName(text) }
      } catch {
        // A text that is not a host is nobody's name.
        isNoHost = true
      }
    }
    let found = try policy.evaluate(chain, host: host, at: time)
    let further: TrustProblem
    switch self {
    case .revocation(requiresResponse: true): further = .missingRevocationList
    case .ssl where isNoHost: further = .wrongHost
    default: return (found.verdict, found.problems, found.path)
    }
    let verdict = found.verdict == .fatal ? TrustVerdict.fatal : .recoverable
    return (verdict, found.problems.union([further]), found.path)
  }
}

/// `SecTrust` over values of no language: a chain, what it has to be for, and what was found.
package final class KeychainTrust: Sendable {
  /// The results of an evaluation.
  package struct Findings: Sendable {
    /// The verdict of all policies.
    package let verdict: TrustVerdict
    /// All reasons against the chain.
    package let problems: Set<TrustProblem>
    /// The validated path, the leaf first.
    package let path: [Certificate]

    /// Whether the chain is trusted.
    package var isTrusted: Bool { verdict == .unspecified || verdict == .proceed }

    /// The number of Apple's for the gravest reason, as `SecTrustEvaluateWithError` gives it; 0 if
    /// there is none.
    package var status: Int32 {
      Self.statuses.first { problems.contains($0.problem) }?.status ?? (isTrusted ? 0 : -67843)
    }

    /// The reasons in English, by which errors describe themselves.
    package var text: String {
      "not trusted: " + problems.map(\.rawValue).sorted().joined(separator: ", ")
    }

    /// Apple's numbers (SecBase.h), the gravest problem first; all else is `errSecNotTrusted`.
    ///
    /// Problems that make the whole chain worthless come before those of the leaf.
    private static let statuses: [(problem: TrustProblem, status: Int32)] = [
      (.revoked, -67820), (.wrongSignature, -67808), (.malformed, -67843),
      (.unknownIssuer, -67843), (.selfSigned, -67843), (.invalidAuthority, -67826),
      (.forbiddenName, -67843), (.invalidPolicy, -67843), (.weakCryptography, -67843),
      (.wrongHost, -67602), (.expired, -67818), (.notYetValid, -67819), (.wrongPurpose, -67609),
      (.unknownExtension, -67603), (.missingRevocationList, -67635),
    ]
  }

  private struct State: Sendable {
    let chain: [Certificate]
    var policies: [KeychainTrustPolicy]
    var anchors: [Certificate]?
    var hasOnlyAnchors = true
    var time: Timestamp?
    var findings: Findings?
    var changes = 0
  }

  private let state: Lock<State>
  /// The authorities if none are set.
  private let standard: TrustAnchors

  /// Creates the trust in a chain.
  ///
  /// - Parameters:
  ///   - chain: The leaf, and any others in any order.
  ///   - policies: All of which the chain has to satisfy; the basic one if there is none.
  ///   - standard: The authorities if none are set.
  /// - Throws: ``VaultError/Code/invalidArgument`` if there is no certificate.
  package init(
    _ chain: [Certificate], _ policies: [KeychainTrustPolicy], standard: TrustAnchors = .system
  ) throws(VaultError) {
    guard !chain.isEmpty else { throw VaultError(.invalidArgument, "trust: no certificate") }
    self.standard = standard
    state = Lock(State(chain: chain, policies: policies))
  }

  /// Sets the policies, in place of those it has.
  package func setPolicies(_ policies: [KeychainTrustPolicy]) {
    change { $0.policies = policies }
  }

  /// Sets the authorities, which are from now on the only ones; nil for the system's.
  package func setAnchors(_ anchors: [Certificate]?) {
    change { state in
      state.anchors = anchors
      state.hasOnlyAnchors = true
    }
  }

  /// Sets whether the system's authorities do not count beside those that were set.
  package func setAnchorsOnly(_ isOnly: Bool) {
    change { $0.hasOnlyAnchors = isOnly }
  }

  /// Sets the time to evaluate for; nil for that of the evaluation.
  package func setTime(_ time: Timestamp?) {
    change { $0.time = time }
  }

  /// The certificates of the validated path, or before an evaluation those of the chain.
  package var certificates: [Certificate] {
    state.withLock { $0.findings?.path ?? $0.chain }
  }

  /// The results of the last evaluation; nil if nothing was evaluated since the last change.
  package var findings: Findings? { state.withLock { $0.findings } }

  /// Evaluates the chain, unless that was done since the last change.
  ///
  /// - Returns: The gravest verdict of all policies, with the reasons of each.
  /// - Throws: ``VaultError/Code/outOfMemory`` and ``VaultError/Code/internalError``.
  package func evaluate() throws(VaultError) -> Findings {
    // It takes long, and works on a copy: others need not wait for it.
    let state = self.state.withLock { $0 }
    if let findings = state.findings { return findings }
    let anchors =
      state.anchors.map { state.hasOnlyAnchors ? TrustAnchors($0) : TrustAnchors(systemAnd: $0) }
      ?? standard
    let time = state.time ?? .now()
    var (verdict, problems) = (TrustVerdict.unspecified, Set<TrustProblem>())
    var path: [Certificate] = []
    for policy in state.policies.isEmpty ? [.basic] : state.policies {
      let found = try policy.evaluate(state.chain, anchors, at: time)
      if Self.gravity(found.verdict) > Self.gravity(verdict) { verdict = found.verdict }
      problems.formUnion(found.problems)
      if path.isEmpty { path = found.path }
    }
    let findings = Findings(verdict: verdict, problems: problems, path: path)
    self.state.withLock { now in
      if now.changes == state.changes { now.findings = findings }
    }
    return findings
  }

  private static func gravity(_ verdict: TrustVerdict) -> Int {
    switch verdict {
    case .unspecified: 0
    case .proceed: 1
    case .recoverable: 2
    case .deny: 3
    case .fatal: 4
    }
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      state.findings = nil
      state.changes += 1
    }
  }
}

extension TrustVerdict {
  /// The number of Apple's (`SecTrustResultType`).
  package var keychainNumber: UInt32 {
    switch self {
    case .proceed: 1
    case .deny: 3
    case .unspecified: 4
    case .recoverable: 5
    case .fatal: 6
    }
  }
}
