import FuzzTesting
import SecureMemory
import TLSCredentials
import VaultModel

/// The readers of certificates and keys.
extension FuzzTarget {
  static let tls: [FuzzTarget] = [certificate, identityFile, pins, revocationList]

  /// A certificate.
  private static let certificate = FuzzTarget(name: "certificate") { bytes in
    let read = try reading(refusing: .invalidData) { () throws(VaultError) in
      try Certificate(der: bytes)
    }
    guard let certificate = read else { return .refused }
    try require(certificate.der == bytes, "read, and kept as other bytes")
    for name in [certificate.subject, certificate.issuer] {
      try require(name.matches(name), "a name that is not itself")
      _ = "\(name.summary) \(name)"
    }
    let host = try HostName("www.example.com")
    _ = certificate.isFor(host, allowsCommonName: true)
    let pem = Secret(certificate.pem)
    let isMissing: IdentityFile? = try reading(refusing: .missingIdentity) {
      () throws(VaultError) in try IdentityFile(pem)
    }
    try require(isMissing == nil, "a certificate that is an identity")
    // Whoever trusts it as it is trusts nobody else, and evaluating never fails.
    let policy = TrustPolicy(
      pinning: .certificate, pins: PinSet([.certificate(certificate)]),
      anchors: TrustAnchors([certificate]))
    let evaluation = try policy.evaluate(
      [certificate], host: host, at: Timestamp(milliseconds: 1_700_000_000_000))
    try require(evaluation.path.first == certificate, "a path of other certificates")
    return .read
  }

  /// A file of keys and certificates, whose passphrase is `secret`.
  private static let identityFile = FuzzTarget(name: "identity-file") { bytes in
    let read = try reading(
      refusing: .invalidData, .authenticationFailed, .unsupportedAlgorithm, .tooCostly,
      .missingIdentity, .missingCertificate
    ) { () throws(VaultError) in
      try IdentityFile(Secret(copying: bytes.span), passphrase: Secret("secret"))
    }
    guard let file = read else { return .refused }
    try require(!file.identities.isEmpty, "neither an identity nor an error")
    for identity in file.identities {
      try require(identity.key.matches(identity.certificate), "a key of another certificate")
      let again = try IdentityFile(identity.pem)
      try require(
        again.identities.contains { $0.key.pkcs8.isEqual(to: identity.key.pkcs8) },
        "written as PEM, and read as another key")
    }
    return .read
  }

  /// Pins as text.
  private static let pins = FuzzTarget(name: "pins") { bytes in
    let time = Timestamp(milliseconds: 0)
    let read = try reading(refusing: .invalidData) { () throws(VaultError) in
      try PinSet(text: bytes.text, receivedAt: time)
    }
    guard let pins = read else { return .refused }
    for text in [pins.curlText, pins.directives] {
      try require(
        try PinSet(text: text, receivedAt: time).pins == pins.pins,
        "written, and read as other pins")
    }
    return .read
  }

  /// A revocation list.
  private static let revocationList = FuzzTarget(name: "revocation-list") { bytes in
    let read = try reading(refusing: .invalidData) { () throws(VaultError) in
      try RevocationList(der: bytes)
    }
    guard let list = read else { return .refused }
    try require(list.der == bytes, "read, and kept as other bytes")
    try require(list.issuer.matches(list.issuer), "a name that is not itself")
    return .read
  }
}
