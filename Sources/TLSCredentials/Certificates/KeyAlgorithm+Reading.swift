import CCrypto
import VaultModel

extension KeyAlgorithm {
  /// Finds the algorithm of a public key.
  ///
  /// - Parameters:
  ///   - algorithm: The identifier and its parameters.
  ///   - publicKey: The bits of the key; those of RSA tell its size.
  /// - Throws: ``VaultError/Code/invalidData`` if it is malformed.
  init(_ algorithm: AlgorithmIdentifier, publicKey: [UInt8]) throws(VaultError) {
    self =
      switch algorithm.oid {
      case .rsa: .rsa(bits: try RSAKey.bits(of: publicKey))
      case .rsaPSS: .rsaPSS(bits: try RSAKey.bits(of: publicKey))
      case .ec: try Self.curve(algorithm)
      case .ed25519: .ed25519
      case .ed448: .ed448
      default: .other(algorithm.oid.description)
      }
  }

  /// Returns the curve of a key; its own parameters instead of a name make it `other`.
  static func curve(_ algorithm: AlgorithmIdentifier) throws(VaultError) -> KeyAlgorithm {
    let parameters = try algorithm.required()
    guard parameters.tag == ASN1.oid else { return .other(algorithm.oid.description) }
    return curve(try parameters.oid())
  }

  static func curve(_ oid: OID) -> KeyAlgorithm {
    // The name is a constant of libcrypto's, or null.
    let number = unsafe OBJ_txt2nid(oid.description)
    guard number != NID_undef, let name = unsafe OBJ_nid2sn(number) else {
      return .other(oid.description)
    }
    return .ec(curve: unsafe String(cString: name))
  }
}
