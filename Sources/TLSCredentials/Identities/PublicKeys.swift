import CVaultLibcrypto
import SecureMemory
import VaultModel

/// Keys of RSA (RFC 8017 A.1).
enum RSAKey {
  /// Returns the bits of the modulus of a public key.
  static func bits(of publicKey: [UInt8]) throws(VaultError) -> Int {
    var reader = ASN1Reader(Secret(copying: publicKey.span), .der)
    var parts = try reader.next(ASN1.sequence).elements
    let modulus = try parts.next(ASN1.integer).octets.drop { $0 == 0 }
    return modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
  }

  /// Returns the public key within a private one, encoded.
  static func publicKey(of privateKey: Secret) throws(VaultError) -> [UInt8] {
    var reader = ASN1Reader(privateKey, .der)
    var parts = try reader.next(ASN1.sequence).elements
    try reader.finish()
    _ = try parts.next(ASN1.integer)
    let numbers = [try parts.next(ASN1.integer).encoding, try parts.next(ASN1.integer).encoding]
    // The secret exponent and the five numbers of the primes.
    for _ in 0..<6 { _ = try parts.next(ASN1.integer) }
    let key = DER.constructed(ASN1.sequence, numbers.map { .encoded($0) }).secret
    return key.octets(0..<key.count)
  }
}

/// Keys of elliptic curves with a name (RFC 5915).
enum ECKey {
  /// Returns the public point of a private key: the one within it, or else the computed one.
  static func publicKey(of privateKey: Secret, curve: String) throws(VaultError) -> [UInt8] {
    var reader = ASN1Reader(privateKey, .der)
    var parts = try reader.next(ASN1.sequence).elements
    try reader.finish()
    _ = try parts.next(ASN1.integer)
    let number = try parts.next(ASN1.octetString).secret
    _ = try parts.optional(ASN1.explicit(0))
    let point = try parts.optional(ASN1.explicit(1))?.only(ASN1.bitString).bitString()
    guard let point else { return try multiplied(number, curve: curve) }
    return try uncompressed(point, curve: curve)
  }

  /// Takes the curve out of a private key that names it itself.
  ///
  /// - Returns: The curve, nil if there is none; and the key as PKCS #8 has it.
  static func separated(_ privateKey: Secret) throws(VaultError) -> (curve: OID?, key: Secret) {
    var reader = ASN1Reader(privateKey, .der)
    var parts = try reader.next(ASN1.sequence).elements
    try reader.finish()
    let version = try parts.next(ASN1.integer).encoding
    let number = try parts.next(ASN1.octetString).secret
    let parameters = try parts.optional(ASN1.explicit(0))?.only()
    let point = try parts.optional(ASN1.explicit(1)).map { DER.encoded($0.encoding) }
    try parts.finish()
    let key = DER.constructed(
      ASN1.sequence, [.encoded(version), .octetString(number)] + (point.map { [$0] } ?? []))
    guard let parameters, parameters.tag == ASN1.oid else { return (nil, key.secret) }
    return (try parameters.oid(), key.secret)
  }

  /// Returns a point in its uncompressed form, so that two forms of one are equal.
  static func uncompressed(_ point: [UInt8], curve: String) throws(VaultError) -> [UInt8] {
    try unsafe withGroup(curve) { group, target throws(VaultError) in
      // The bytes are read during the call.
      guard unsafe EC_POINT_oct2point(group, target, point, point.count, nil) == 1 else {
        throw ASN1.malformed
      }
    }
  }

  private static func multiplied(_ number: Secret, curve: String) throws(VaultError) -> [UInt8] {
    try unsafe withGroup(curve) { group, target throws(VaultError) in
      // A number of this function alone, wiped and freed at its end.
      guard let factor = unsafe BN_secure_new() else { throw Crypto.noMemory }
      defer { unsafe BN_clear_free(factor) }
      unsafe BN_set_flags(factor, BN_FLG_CONSTTIME)
      let isRead = unsafe number.withOctets {
        unsafe BN_bin2bn($0.baseAddress, Int32($0.count), factor) != nil
      }
      guard isRead, unsafe EC_POINT_mul(group, target, factor, nil, nil, nil) == 1 else {
        throw ASN1.malformed
      }
    }
  }

  /// Returns the uncompressed form of a point that `body` sets.
  @unsafe private static func withGroup(
    _ curve: String, _ body: (OpaquePointer, OpaquePointer) throws(VaultError) -> Void
  ) throws(VaultError) -> [UInt8] {
    // Both are freed at the end of this function.
    guard let group = unsafe EC_GROUP_new_by_curve_name(OBJ_sn2nid(curve)) else {
      ERR_clear_error()
      throw VaultError(.unsupportedAlgorithm, "key: the curve \(curve) is not supported")
    }
    defer { unsafe EC_GROUP_free(group) }
    guard let point = unsafe EC_POINT_new(group) else { throw Crypto.noMemory }
    defer { unsafe EC_POINT_free(point) }
    do throws(VaultError) {
      try unsafe body(group, point)
    } catch {
      ERR_clear_error()
      throw error
    }
    var bytes = [UInt8](repeating: 0, count: 256)
    // No curve of libcrypto has a point of more than 145 bytes.
    let count = unsafe EC_POINT_point2oct(
      group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
    guard count > 0 else { throw ASN1.malformed }
    return Array(bytes.prefix(count))
  }
}

/// Keys of Edwards curves (RFC 8410).
enum EdwardsKey {
  /// Returns the public key of a private one.
  static func publicKey(
    of privateKey: Secret, _ algorithm: KeyAlgorithm
  ) throws(VaultError) -> [UInt8] {
    let key = try ASN1Reader(privateKey, .der).onlyOctetString()
    let number = algorithm == .ed25519 ? NID_ED25519 : NID_ED448
    // Freed at the end, which wipes it; libcrypto refuses another length.
    let loaded = unsafe key.withOctets {
      unsafe EVP_PKEY_new_raw_private_key(number, nil, $0.baseAddress, $0.count)
    }
    guard let loaded = unsafe loaded else {
      ERR_clear_error()
      throw ASN1.malformed
    }
    defer { unsafe EVP_PKEY_free(loaded) }
    var bytes = [UInt8](repeating: 0, count: 57)
    var count = bytes.count
    // The longest has 57 bytes.
    guard unsafe EVP_PKEY_get_raw_public_key(loaded, &bytes, &count) == 1 else {
      throw Crypto.failed
    }
    return Array(bytes.prefix(count))
  }
}

extension ASN1Reader {
  /// Returns the bytes of an octet string that is all there is.
  fileprivate func onlyOctetString() throws(VaultError) -> Secret {
    var reader = self
    let element = try reader.next(ASN1.octetString)
    try reader.finish()
    return element.secret
  }
}
