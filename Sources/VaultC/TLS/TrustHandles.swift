import CVault
import TLSCredentials
import VaultModel

/// A policy that a C program describes.
final class TrustPolicyHandle: Handle, @unchecked Sendable {
  /// The description.
  struct Content: Sendable {
    var options: TrustOptions = []
    var anchors: [Certificate] = []
    var pins: [Pin] = []
    var lists: [RevocationList] = []

    /// The policy, with authorities that are indexed anew.
    var policy: TrustPolicy {
      let pinsCertificates = pins.contains { if case .certificate = $0 { true } else { false } }
      let anchors: TrustAnchors =
        self.anchors.isEmpty
        ? .system
        : options.contains(.systemAnchors)
          ? TrustAnchors(systemAnd: self.anchors) : TrustAnchors(self.anchors)
      return TrustPolicy(
        pinning: pins.isEmpty ? .none : pinsCertificates ? .certificate : .publicKey,
        pins: PinSet(pins, isReportOnly: options.contains(.reportOnly)), anchors: anchors,
        allowsInvalidCertificates: options.contains(.allowsInvalid),
        validatesDomainName: !options.contains(.anyHost),
        allowsCommonName: options.contains(.allowsCommonName), revocationLists: lists,
        requiresRevocationLists: options.contains(.requiresRevocationLists))
    }
  }

  private let state = Guarded((content: Content(), policy: TrustPolicy?.none))

  /// The policy, which is made at its first use after a change.
  var policy: TrustPolicy {
    state.withLock { state in
      if let policy = state.policy { return policy }
      let policy = state.content.policy
      state.policy = policy
      return policy
    }
  }

  func change(_ body: (inout Content) throws(VaultError) -> Void) throws(VaultError) {
    try state.withLock { (state) throws(VaultError) in
      try body(&state.content)
      state.policy = nil
    }
  }
}

/// The results of evaluating a chain, for a C program.
final class TrustEvaluationHandle: Handle, @unchecked Sendable {
  // Immutable, and `Sendable` itself.
  let evaluation: TrustEvaluation

  init(_ evaluation: TrustEvaluation) {
    self.evaluation = evaluation
  }
}

/// The options of trust in `vault_tls.h`.
struct TrustOptions: OptionSet {
  let rawValue: UInt32

  static let allowsInvalid = TrustOptions(rawValue: UInt32(VAULT_TRUST_ALLOWS_INVALID))
  static let anyHost = TrustOptions(rawValue: UInt32(VAULT_TRUST_ANY_HOST))
  static let allowsCommonName = TrustOptions(rawValue: UInt32(VAULT_TRUST_ALLOWS_COMMON_NAME))
  static let systemAnchors = TrustOptions(rawValue: UInt32(VAULT_TRUST_SYSTEM_ANCHORS))
  static let requiresRevocationLists = TrustOptions(
    rawValue: UInt32(VAULT_TRUST_REQUIRES_REVOCATION_LISTS))
  static let reportOnly = TrustOptions(rawValue: UInt32(VAULT_TRUST_REPORT_ONLY))
  static let withSubdomains = TrustOptions(rawValue: UInt32(VAULT_TRUST_WITH_SUBDOMAINS))

  static let ofPolicy: TrustOptions = [
    .allowsInvalid, .anyHost, .allowsCommonName, .systemAnchors, .requiresRevocationLists,
    .reportOnly,
  ]
  static let ofPins: TrustOptions = [.reportOnly, .withSubdomains]

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Reads the options of a caller.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for an unknown option, which would be ignored.
  init(_ options: vault_trust_options_t, among known: TrustOptions) throws(VaultError) {
    self.init(rawValue: options)
    guard isSubset(of: known) else {
      throw VaultError(.invalidArgument, "an option that the function does not have")
    }
  }
}

extension vault_trust_verdict_t {
  init(_ verdict: TrustVerdict) {
    self =
      switch verdict {
      case .unspecified: VAULT_TRUST_UNSPECIFIED
      case .proceed: VAULT_TRUST_PROCEED
      case .deny: VAULT_TRUST_DENY
      case .recoverable: VAULT_TRUST_RECOVERABLE
      case .fatal: VAULT_TRUST_FATAL
      }
  }
}

extension TrustProblem {
  /// The bit in `vault_tls.h`.
  var bit: vault_trust_problems_t {
    let bit =
      switch self {
      case .unknownIssuer: VAULT_TRUST_UNKNOWN_ISSUER
      case .selfSigned: VAULT_TRUST_SELF_SIGNED
      case .expired: VAULT_TRUST_EXPIRED
      case .notYetValid: VAULT_TRUST_NOT_YET_VALID
      case .wrongHost: VAULT_TRUST_WRONG_HOST
      case .pinMismatch: VAULT_TRUST_PIN_MISMATCH
      case .noPins: VAULT_TRUST_NO_PINS
      case .changedKey: VAULT_TRUST_CHANGED_KEY
      case .weakCryptography: VAULT_TRUST_WEAK_CRYPTOGRAPHY
      case .wrongPurpose: VAULT_TRUST_WRONG_PURPOSE
      case .invalidAuthority: VAULT_TRUST_INVALID_AUTHORITY
      case .forbiddenName: VAULT_TRUST_FORBIDDEN_NAME
      case .invalidPolicy: VAULT_TRUST_INVALID_POLICY
      case .unknownExtension: VAULT_TRUST_UNKNOWN_EXTENSION
      case .missingRevocationList: VAULT_TRUST_MISSING_REVOCATION_LIST
      case .invalidRevocationList: VAULT_TRUST_INVALID_REVOCATION_LIST
      case .revoked: VAULT_TRUST_REVOKED
      case .wrongSignature: VAULT_TRUST_WRONG_SIGNATURE
      case .malformed: VAULT_TRUST_MALFORMED
      }
    return vault_trust_problems_t(bit)
  }
}
