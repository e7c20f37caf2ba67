public import SecureMemory
public import VaultModel

/// A private key, in guarded memory.
public struct PrivateKey: Sendable {
  /// The kind and size of the key.
  public let algorithm: KeyAlgorithm
  /// The key as PKCS #8 (RFC 5208, RFC 5958), encoded by DER and not encrypted.
  public let pkcs8: Secret
  /// The bits of the public key that belongs to it.
  let publicKey: [UInt8]

  /// Reads a key.
  ///
  /// - Parameter pkcs8: One key as PKCS #8, encoded by DER and not encrypted.
  /// - Throws: ``VaultError/Code/invalidData`` if it is malformed;
  ///   ``VaultError/Code/unsupportedAlgorithm`` unless it is RSA, RSA-PSS, Ed25519, Ed448 or of an
  ///   elliptic curve with a name that libcrypto knows.
  public init(pkcs8: Secret) throws(VaultError) {
    do throws(VaultError) {
      var reader = ASN1Reader(pkcs8, .der)
      var parts = try reader.next(ASN1.sequence).elements
      try reader.finish()
      guard try parts.next().integer() <= 1 else { throw ASN1.malformed }
      let identifier = try AlgorithmIdentifier(try parts.next(ASN1.sequence))
      let key = try parts.next(ASN1.octetString).secret
      // Attributes, and the public key of version 2, may follow.
      (algorithm, publicKey) = try Self.publicPart(of: key, identifier)
    } catch {
      throw error.code == .invalidData ? VaultError(.invalidData, "key: malformed") : error
    }
    self.pkcs8 = pkcs8
  }

  /// Returns whether a certificate is for this key.
  public func matches(_ certificate: Certificate) -> Bool {
    guard algorithm == certificate.keyAlgorithm else { return false }
    if publicKey == certificate.publicKey { return true }
    guard case .ec(let curve) = algorithm else { return false }
    do throws(VaultError) {
      return try ECKey.uncompressed(certificate.publicKey, curve: curve) == publicKey
    } catch {
      // A point that is not on the curve belongs to no key.
      return false
    }
  }

  private static func publicPart(
    of key: Secret, _ identifier: AlgorithmIdentifier
  ) throws(VaultError) -> (KeyAlgorithm, [UInt8]) {
    switch identifier.oid {
    case .rsa, .rsaPSS:
      let publicKey = try RSAKey.publicKey(of: key)
      return (try KeyAlgorithm(identifier, publicKey: publicKey), publicKey)
    case .ec:
      let algorithm = try KeyAlgorithm.curve(identifier)
      guard case .ec(let curve) = algorithm else { break }
      return (algorithm, try ECKey.publicKey(of: key, curve: curve))
    case .ed25519: return (.ed25519, try EdwardsKey.publicKey(of: key, .ed25519))
    case .ed448: return (.ed448, try EdwardsKey.publicKey(of: key, .ed448))
    default: break
    }
    throw VaultError(
      .unsupportedAlgorithm, "key: the algorithm \(identifier.oid) is not supported")
  }
}

extension PrivateKey {
  /// Wraps a key of the older forms `RSA PRIVATE KEY` and `EC PRIVATE KEY`.
  init(rsa key: Secret) throws(VaultError) {
    try self.init(
      pkcs8: DER.sequence(
        .integer(0), .sequence(.oid(.rsa), .null), .octetString(key)
      ).secret)
  }

  init(ec key: Secret) throws(VaultError) {
    let (curve, key) = try ECKey.separated(key)
    guard let curve else {
      throw VaultError(.unsupportedAlgorithm, "key: the curve has no name")
    }
    try self.init(
      pkcs8: DER.sequence(
        .integer(0), .sequence(.oid(.ec), .oid(curve)), .octetString(key)
      ).secret)
  }
}
