/// A reason for which a chain is not valid.
///
/// Each names one thing: a decision about one of them never covers another.
public enum TrustProblem: String, Hashable, Sendable, CaseIterable {
  // Problems that ``TrustPolicy/allowsInvalidCertificates`` allows.

  /// The chain leads to no anchor, or its authority was not sent.
  case unknownIssuer
  /// The leaf was signed with its own key and is not an anchor.
  case selfSigned
  /// The time is after the validity of a certificate.
  case expired
  /// The time is before the validity of a certificate.
  case notYetValid

  // Problems that nothing allows.

  /// The leaf is for other hosts.
  case wrongHost
  /// No pin is in the path.
  case pinMismatch
  /// A policy that requires pins, or would trust anybody with the host's name, has none.
  case noPins
  /// The server has another key than the one that was recorded at its first use.
  case changedKey
  /// A key or a signature is too weak: RSA below 2048 bits, SHA-1.
  case weakCryptography
  /// The certificate may not be used by a server.
  case wrongPurpose
  /// A certificate was issued by one that is not an authority, or by too long a chain of them.
  case invalidAuthority
  /// A name that the authority may not certify.
  case forbiddenName
  /// An authority of the path requires certificate policies (RFC 5280 §4.2.1.4) that the path does
  /// not have, or policies contradict each other.
  case invalidPolicy
  /// An extension that is critical and unknown.
  case unknownExtension
  /// No revocation list of an issuer was given, and they are required.
  case missingRevocationList
  /// A revocation list is malformed, expired or signed by somebody else.
  case invalidRevocationList

  // Problems that last for good.

  /// A revocation list has the certificate.
  case revoked
  /// A signature is wrong.
  case wrongSignature
  /// There is no certificate, or one that cannot be understood.
  case malformed

  /// Whether ``TrustPolicy/allowsInvalidCertificates`` allows it.
  var isWaivable: Bool {
    switch self {
    case .unknownIssuer, .selfSigned, .expired, .notYetValid: true
    default: false
    }
  }

  /// Whether somebody decided against the server in advance: no other decision covers it.
  var isDenial: Bool {
    switch self {
    case .pinMismatch, .noPins, .changedKey: true
    default: false
    }
  }

  /// Whether nobody should be asked about it.
  var isFatal: Bool {
    switch self {
    case .revoked, .wrongSignature, .malformed: true
    default: false
    }
  }
}

/// The result of an evaluation, in Apple's words (`SecTrustResultType`).
public enum TrustVerdict: String, Hashable, Sendable, CaseIterable {
  /// Valid by the anchors, and nobody decided anything: the normal success.
  case unspecified
  /// Somebody decided to trust it in spite of its problems.
  case proceed
  /// Somebody decided not to trust it: the pins, the key of the first use, or the policy as such.
  case deny
  /// Not valid, for reasons that somebody may decide to ignore.
  case recoverable
  /// Not valid, and no decision can change that.
  case fatal
}
