import SecureMemory
package import VaultModel

/// A public key, or a private key with the public one that belongs to it.
///
/// Two keys are equal if both are public or both private, and their public keys are one.
package struct AsymmetricKey: Sendable {
  /// The kinds of keys.
  package enum Kind: Sendable, Hashable {
    case rsa, ec, ed25519
  }

  package let kind: Kind
  /// The size as it is named: of RSA's modulus, of the curve's field.
  package let bits: Int
  /// The bits of the public key: RSAPublicKey (RFC 8017 A.1.1), the uncompressed point
  /// (SEC 1 §2.3.3), or the 32 bytes of Ed25519.
  package let publicBits: [UInt8]
  /// The private key; nil if this is a public one.
  let privateKey: PrivateKey?
  let algorithm: KeyAlgorithm

  /// Whether it can sign and decrypt.
  package var isPrivate: Bool { privateKey != nil }

  /// The public key that belongs to it; itself if it is one.
  package var publicKey: AsymmetricKey {
    get throws(VaultError) { try AsymmetricKey(algorithm, publicBits, nil) }
  }

  /// Returns the public key of a certificate.
  ///
  /// - Throws: ``VaultError/Code/unsupportedAlgorithm`` for another kind;
  ///   ``VaultError/Code/invalidData`` if it is malformed.
  package init(of certificate: Certificate) throws(VaultError) {
    try self.init(certificate.keyAlgorithm, certificate.publicKey, nil)
  }

  /// Takes a private key, such as an identity's.
  ///
  /// - Throws: As ``init(of:)``.
  package init(_ key: PrivateKey) throws(VaultError) {
    try self.init(key.algorithm, key.publicKey, key)
  }

  init(
    _ algorithm: KeyAlgorithm, _ publicBits: [UInt8], _ privateKey: PrivateKey?
  ) throws(VaultError) {
    self.algorithm = algorithm
    self.privateKey = privateKey
    switch algorithm {
    case .rsa(let bits), .rsaPSS(let bits):
      (kind, self.bits, self.publicBits) = (.rsa, bits, publicBits)
    case .ec(let name):
      let curve = try NamedCurve(name)
      (kind, bits) = (.ec, curve.bits)
      // A point has two forms, and equal keys have one.
      self.publicBits = try ECKey.uncompressed(publicBits, curve: name)
    case .ed25519: (kind, bits, self.publicBits) = (.ed25519, 256, publicBits)
    default:
      throw VaultError(.unsupportedAlgorithm, "key: the algorithm \(algorithm) is not supported")
    }
  }

  /// The bytes of a signature's half, or of what is encrypted at once.
  package var blockCount: Int { (bits + 7) / 8 }

  /// SHA-1 of the bits of the public key, by which older programs name a key.
  package func identifier() throws(VaultError) -> [UInt8] { try Hash.sha1(publicBits) }

  /// The public key as SubjectPublicKeyInfo (RFC 5280 §4.1), encoded by DER.
  var publicKeyInfo: [UInt8] {
    get throws(VaultError) {
      let identifier: [DER] =
        switch algorithm {
        case .rsa: [.oid(.rsa), .null]
        case .rsaPSS: [.oid(.rsaPSS)]
        case .ec(let name): [.oid(.ec), .oid(try NamedCurve(name).oid)]
        default: [.oid(.ed25519)]
        }
      let info = DER.sequence(
        .constructed(ASN1.sequence, identifier), .primitive(ASN1.bitString, [0] + publicBits)
      ).secret
      return info.octets(0..<info.count)
    }
  }
}

extension AsymmetricKey: Hashable {
  /// Returns whether the keys are equal.
  package static func == (left: AsymmetricKey, right: AsymmetricKey) -> Bool {
    left.kind == right.kind && left.isPrivate == right.isPrivate
      && left.publicBits == right.publicBits
  }

  /// Hashes the public key.
  package func hash(into hasher: inout Hasher) { hasher.combine(publicBits) }
}

extension AsymmetricKey: CustomReflectable {
  /// A mirror without the key.
  package var customMirror: Mirror { Mirror(self, children: ["algorithm": algorithm]) }
}

/// The curves that Apple's functions have (SP 800-186).
struct NamedCurve {
  let name: String
  let bits: Int
  let oid: OID

  static let all = [
    NamedCurve(name: "prime256v1", bits: 256, oid: OID(1, 2, 840, 10045, 3, 1, 7)),
    NamedCurve(name: "secp384r1", bits: 384, oid: OID(1, 3, 132, 0, 34)),
    NamedCurve(name: "secp521r1", bits: 521, oid: OID(1, 3, 132, 0, 35)),
  ]

  /// The bytes of a coordinate, and of a private number.
  var count: Int { (bits + 7) / 8 }

  private init(name: String, bits: Int, oid: OID) {
    (self.name, self.bits, self.oid) = (name, bits, oid)
  }

  /// Finds a curve by its name.
  ///
  /// - Throws: ``VaultError/Code/unsupportedAlgorithm`` for another one.
  init(_ name: String) throws(VaultError) {
    guard let curve = Self.all.first(where: { $0.name == name }) else {
      throw VaultError(.unsupportedAlgorithm, "key: the curve \(name) is not supported")
    }
    self = curve
  }
}
