import CVaultLibcrypto
import SecureMemory
package import VaultModel

/// A way to sign, and the form of its signatures.
package enum SignatureScheme: Hashable, Sendable {
  /// RSA without any padding: the bytes are as long as the modulus.
  case rsaRaw
  /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2) of a hash; nil pads the bytes as they are.
  case rsaPKCS1(DigestFunction?)
  /// RSASSA-PSS (RFC 8017 §8.1) with the hash's own length as that of the salt.
  case rsaPSS(DigestFunction)
  /// ECDSA (FIPS 186-5 §6) of a hash; its signature as the two numbers in DER (X9.62), or one after
  /// the other (RFC 4754).
  case ecdsa(isDER: Bool)
  /// Ed25519 (RFC 8032) of a message.
  case ed25519

  /// The kind of its keys.
  package var kind: AsymmetricKey.Kind {
    switch self {
    case .rsaRaw, .rsaPKCS1, .rsaPSS: .rsa
    case .ecdsa: .ec
    case .ed25519: .ed25519
    }
  }
}

/// The hash functions of signatures.
package enum DigestFunction: Hashable, Sendable, CaseIterable {
  case sha1, sha224, sha256, sha384, sha512

  var hash: Hash {
    switch self {
    case .sha1: .sha1
    case .sha224: .sha224
    case .sha256: .sha256
    case .sha384: .sha384
    case .sha512: .sha512
    }
  }

  /// The bytes of a hash.
  package var count: Int { hash.count }

  /// Returns the hash of a message.
  ///
  /// - Throws: ``VaultError/Code/internalError`` if libcrypto fails.
  package func callAsFunction(_ message: [UInt8]) throws(VaultError) -> [UInt8] {
    try hash(message)
  }
}

extension AsymmetricKey {
  /// Signs a hash, or for Ed25519 a message.
  ///
  /// - Parameters:
  ///   - bytes: The hash.
  ///   - scheme: One for keys of this kind.
  /// - Returns: The signature.
  /// - Throws: ``VaultError/Code/invalidArgument`` if this is a public key or one of another kind,
  ///   or the hash has another length.
  package func sign(
    _ bytes: [UInt8], _ scheme: SignatureScheme
  ) throws(VaultError) -> [UInt8] {
    guard isPrivate, scheme.kind == kind else { throw Self.otherKey }
    let key = try LoadedKey(self)
    // RSA's is as long as the modulus; DER adds at most 9 bytes to the two halves.
    var signature = [UInt8](repeating: 0, count: max(2 * blockCount + 16, 64))
    let count: Int
    if scheme == .ed25519 {
      count = try unsafe key.withPointer { key in
        unsafe Self.withDigestContext { context in
          var count = signature.count
          // The buffer has room for 64 bytes.
          guard unsafe EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
            unsafe EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1
          else { return nil }
          return count
        }
      }
    } else {
      count = try unsafe key.withContext { context in
        var count = signature.count
        // The buffer has room for any signature of the key.
        guard unsafe EVP_PKEY_sign_init(context) == 1, unsafe scheme.apply(to: context),
          unsafe EVP_PKEY_sign(context, &signature, &count, bytes, bytes.count) == 1
        else { return nil }
        return count
      }
    }
    signature.removeLast(signature.count - count)
    guard case .ecdsa(isDER: false) = scheme else { return signature }
    return try Self.halves(signature, count: blockCount)
  }

  /// Returns whether a signature is this key's of a hash, or for Ed25519 of a message.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the key is one of another kind.
  package func verify(
    _ signature: [UInt8], of bytes: [UInt8], _ scheme: SignatureScheme
  ) throws(VaultError) -> Bool {
    guard scheme.kind == kind else { throw Self.otherKey }
    var signature = signature
    if case .ecdsa(isDER: false) = scheme {
      guard signature.count == 2 * blockCount else { return false }
      signature = Self.encoded(halves: signature)
    }
    let key = try LoadedKey(publicKey)
    if scheme == .ed25519 {
      return try unsafe key.withPointer { key in
        unsafe Self.withDigestContext { context in
          // All bytes are valid during the calls.
          unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
        }
      }
    }
    return try unsafe key.withContext { context in
      guard unsafe EVP_PKEY_verify_init(context) == 1, unsafe scheme.apply(to: context) else {
        return nil
      }
      // Negative for a malformed signature, which is no error of the caller's.
      return unsafe EVP_PKEY_verify(context, signature, signature.count, bytes, bytes.count) == 1
    }
  }

  static var otherKey: VaultError {
    VaultError(.invalidArgument, "key: not one for this algorithm")
  }

  @unsafe private static func withDigestContext<R>(_ body: (OpaquePointer) -> R?) -> R? {
    // Freed at the end of this function.
    guard let context = unsafe EVP_MD_CTX_new() else { return nil }
    defer { unsafe EVP_MD_CTX_free(context) }
    return unsafe body(context)
  }

  /// Returns the two numbers of a signature one after the other (RFC 4754 §7).
  private static func halves(_ der: [UInt8], count: Int) throws(VaultError) -> [UInt8] {
    var reader = ASN1Reader(Secret(copying: der.span), .der)
    var parts = try reader.next(ASN1.sequence).elements
    var halves: [UInt8] = []
    for _ in 0..<2 {
      let number = try parts.next(ASN1.integer).octets.drop { $0 == 0 }
      halves += [UInt8](repeating: 0, count: max(count - number.count, 0)) + number
    }
    return halves
  }

  private static func encoded(halves: [UInt8]) -> [UInt8] {
    let count = halves.count / 2
    let numbers = [halves.prefix(count), halves.suffix(count)].map { half -> DER in
      let digits = half.drop { $0 == 0 }
      // Its highest bit would be the sign.
      let isSigned = digits.first.map { $0 & 0x80 != 0 } ?? true
      return .primitive(ASN1.integer, (isSigned ? [0] : []) + digits)
    }
    let whole = DER.constructed(ASN1.sequence, numbers).secret
    return whole.octets(0..<whole.count)
  }
}

extension SignatureScheme {
  /// Sets padding and hash of a context; false if libcrypto refuses.
  @unsafe fileprivate func apply(to context: OpaquePointer) -> Bool {
    // The context is the caller's; functions of hashes are constants.
    switch self {
    case .rsaRaw: unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1
    case .rsaPKCS1(let digest):
      unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        && (digest == nil || EVP_PKEY_CTX_set_signature_md(context, digest?.hash.function) == 1)
    case .rsaPSS(let digest):
      unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
        && EVP_PKEY_CTX_set_signature_md(context, digest.hash.function) == 1
        && EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest.hash.function) == 1
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(digest.count)) == 1
    case .ecdsa, .ed25519: true
    }
  }
}
