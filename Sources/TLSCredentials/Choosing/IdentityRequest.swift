package import VaultModel

/// A server's statement on the client certificates that it accepts (`CertificateRequest`, RFC 8446
/// §4.3.2).
public struct IdentityRequest: Hashable, Sendable {
  /// The authorities that the server accepts; empty for any.
  public var acceptableIssuers: [DistinguishedName]
  /// The signatures that the server accepts, by their numbers (RFC 8446 §4.2.3); empty for any.
  public var signatureSchemes: [UInt16]

  /// Creates a request; the default one accepts everything.
  public init(acceptableIssuers: [DistinguishedName] = [], signatureSchemes: [UInt16] = []) {
    self.acceptableIssuers = acceptableIssuers
    self.signatureSchemes = signatureSchemes
  }

  /// A reason for which an identity is not sent.
  package enum Obstacle: String, Hashable, Sendable, CaseIterable {
    /// No authority of its chain is accepted.
    case issuer
    /// The key makes no signature that is accepted.
    case signature
    /// The key is not for signatures.
    case keyUsage
    /// The certificate is not for clients.
    case purpose
    /// The certificate, or one of its chain, has expired.
    case expired
    /// The certificate, or one of its chain, is not yet valid.
    case notYetValid
  }

  /// Returns why an identity is not sent; nothing if it may be.
  package func obstacles(to identity: IdentitySummary, at time: Timestamp) -> Set<Obstacle> {
    var obstacles: Set<Obstacle> = []
    // Any member of the chain may be signed by an authority that the server named.
    let isIssued = identity.issuers.contains { issuer in
      acceptableIssuers.contains { $0.matches(issuer) }
    }
    if !acceptableIssuers.isEmpty, !isIssued { obstacles.insert(.issuer) }
    let schemes = identity.keyAlgorithm.signatureSchemes
    if !signatureSchemes.isEmpty, schemes.isDisjoint(with: signatureSchemes) {
      obstacles.insert(.signature)
    }
    if let usage = identity.keyUsage, !usage.contains(.digitalSignature) {
      obstacles.insert(.keyUsage)
    }
    if let purposes = identity.extendedKeyUsage,
      !purposes.contains(.clientAuthentication), !purposes.contains(.any)
    {
      obstacles.insert(.purpose)
    }
    if time > identity.notAfter { obstacles.insert(.expired) }
    if time < identity.notBefore { obstacles.insert(.notYetValid) }
    return obstacles
  }
}

extension KeyAlgorithm {
  /// The numbers of the signatures that such a key makes in TLS 1.2 and 1.3 (RFC 8446 §4.2.3).
  ///
  /// Those with SHA-1 are left out: OpenSSL refuses them.
  var signatureSchemes: Set<UInt16> {
    switch self {
    case .rsa: [0x0401, 0x0501, 0x0601, 0x0804, 0x0805, 0x0806]
    case .rsaPSS: [0x0809, 0x080A, 0x080B]
    // Only TLS 1.3 binds the hash to the curve.
    case .ec: [0x0403, 0x0503, 0x0603]
    case .ed25519: [0x0807]
    case .ed448: [0x0808]
    case .other: []
    }
  }
}
