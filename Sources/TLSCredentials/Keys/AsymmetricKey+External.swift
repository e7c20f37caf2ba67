package import SecureMemory
package import VaultModel

/// Keys as Apple's functions read and write them: PKCS #1 for RSA (RFC 8017 A.1), X9.63 for
/// elliptic curves (the uncompressed point, for a private key followed by its number), and the 32
/// bytes of Ed25519 (RFC 8032).
extension AsymmetricKey {
  /// Reads a key.
  ///
  /// - Parameters:
  ///   - bytes: The key; one of an elliptic curve tells the curve by its length.
  ///   - kind: Its kind.
  ///   - isPrivate: Whether it is a private key.
  /// - Throws: ``VaultError/Code/invalidData`` if it is not such a key, or its private and its
  ///   public part do not belong together.
  package init(
    reading bytes: Secret, _ kind: Kind, isPrivate: Bool
  ) throws(VaultError) {
    do throws(VaultError) {
      let key = isPrivate ? try Self.privateKey(bytes, kind) : nil
      if let key {
        try self.init(key)
      } else {
        let (algorithm, bits) = try Self.publicKey(bytes, kind)
        try self.init(algorithm, bits, nil)
      }
    } catch {
      throw error.code == .invalidData ? VaultError(.invalidData, "key: malformed") : error
    }
  }

  private static func publicKey(
    _ bytes: Secret, _ kind: Kind
  ) throws(VaultError) -> (KeyAlgorithm, [UInt8]) {
    let octets = bytes.octets(0..<bytes.count)
    switch kind {
    case .rsa:
      var reader = ASN1Reader(bytes, .der)
      let key = try reader.next(ASN1.sequence)
      try reader.finish()
      var parts = key.elements
      if parts.nextTag == ASN1.sequence {
        // Apple's functions also take a SubjectPublicKeyInfo.
        let (algorithm, bits) = try CertificateFields.key(key)
        guard case .rsa = algorithm else { throw ASN1.malformed }
        return (algorithm, bits)
      }
      _ = (try parts.next(ASN1.integer), try parts.next(ASN1.integer))
      try parts.finish()
      return (.rsa(bits: try RSAKey.bits(of: octets)), octets)
    case .ec:
      guard let curve = NamedCurve.all.first(where: { 1 + 2 * $0.count == octets.count }) else {
        throw ASN1.malformed
      }
      // It also checks that the point is on the curve.
      return (.ec(curve: curve.name), try ECKey.uncompressed(octets, curve: curve.name))
    case .ed25519:
      guard octets.count == 32 else { throw ASN1.malformed }
      return (.ed25519, octets)
    }
  }

  private static func privateKey(
    _ bytes: Secret, _ kind: Kind
  ) throws(VaultError) -> PrivateKey {
    switch kind {
    case .rsa: return try PrivateKey(rsa: bytes)
    case .ec:
      guard let curve = NamedCurve.all.first(where: { 1 + 3 * $0.count == bytes.count }) else {
        throw ASN1.malformed
      }
      let point = 1 + 2 * curve.count
      // Without the point, which is computed and compared.
      let inner = DER.sequence(.integer(1), .octetString(bytes.slice(point..<bytes.count))).secret
      let key = try PrivateKey(
        pkcs8: DER.sequence(
          .integer(0), .sequence(.oid(.ec), .oid(curve.oid)), .octetString(inner)
        ).secret)
      guard key.publicKey == bytes.octets(0..<point) else { throw ASN1.malformed }
      return key
    case .ed25519:
      guard bytes.count == 32 else { throw ASN1.malformed }
      return try PrivateKey(
        pkcs8: DER.sequence(
          .integer(0), .sequence(.oid(.ed25519)), .octetString(DER.octetString(bytes).secret)
        ).secret)
    }
  }

  /// Returns the key in the form that ``init(reading:_:isPrivate:)`` reads.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if a private key has no such form.
  package func external() throws(VaultError) -> Secret {
    guard let privateKey else { return Secret(copying: publicBits.span) }
    var reader = ASN1Reader(privateKey.pkcs8, .der)
    var parts = try reader.next(ASN1.sequence).elements
    _ = (try parts.next(ASN1.integer), try parts.next(ASN1.sequence))
    let key = try parts.next(ASN1.octetString).secret
    switch algorithm {
    case .ec(let name):
      var inner = ASN1Reader(key, .der)
      var fields = try inner.next(ASN1.sequence).elements
      _ = try fields.next(ASN1.integer)
      let number = try fields.next(ASN1.octetString).secret
      let count = try NamedCurve(name).count
      guard number.count <= count else { throw ASN1.malformed }
      var whole = SecretBuffer(capacity: publicBits.count + count)
      for byte in publicBits { whole.append(byte) }
      for _ in 0..<(count - number.count) { whole.append(0) }
      number.withRawBytes { whole.append($0) }
      return whole.secret(0..<whole.count)
    case .ed25519:
      var inner = ASN1Reader(key, .der)
      return try inner.next(ASN1.octetString).secret
    default: return key
    }
  }
}
