import CVaultLibcrypto
package import SecureMemory
package import VaultModel

/// A way to encrypt: with RSA (RFC 8017 §7), or for an elliptic curve.
package enum EncryptionScheme: Hashable, Sendable {
  /// Without any padding: the bytes are as long as the modulus.
  case rsaRaw
  /// RSAES-PKCS1-v1_5.
  ///
  /// Whoever learns whether a text decrypts can decrypt others (Bleichenbacher's attack).
  case rsaPKCS1
  /// RSAES-OAEP, with one hash for all of it.
  case rsaOAEP(DigestFunction)
  /// ECIES with the KDF of X9.63 and AES-GCM, of any number of bytes.
  case ecies(DigestFunction)

  /// The kind of its keys.
  package var kind: AsymmetricKey.Kind {
    if case .ecies = self { .ec } else { .rsa }
  }

  /// The bytes of RSA's padding.
  package var overhead: Int {
    switch self {
    case .rsaRaw, .ecies: 0
    case .rsaPKCS1: 11
    case .rsaOAEP(let digest): 2 * digest.count + 2
    }
  }
}

extension AsymmetricKey {
  /// Encrypts bytes for this key.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is not a key of the scheme's kind, or
  ///   there are too many bytes.
  package func encrypt(
    _ bytes: Secret, _ scheme: EncryptionScheme
  ) throws(VaultError) -> [UInt8] {
    guard kind == scheme.kind else { throw Self.otherKey }
    if case .ecies(let digest) = scheme { return try encryptECIES(bytes, digest) }
    let key = try LoadedKey(publicKey)
    var result = [UInt8](repeating: 0, count: blockCount)
    let count = try unsafe key.withContext { context in
      unsafe bytes.withOctets { bytes -> Int? in
        var count = result.count
        // The result is as long as the modulus.
        guard unsafe EVP_PKEY_encrypt_init(context) == 1, unsafe scheme.apply(to: context),
          unsafe EVP_PKEY_encrypt(context, &result, &count, bytes.baseAddress, bytes.count) == 1
        else { return nil }
        return count
      }
    }
    return Array(result.prefix(count))
  }

  /// Decrypts bytes that were encrypted for this key.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is not a private key of the scheme's kind,
  ///   or the bytes were not encrypted for it.
  package func decrypt(
    _ bytes: [UInt8], _ scheme: EncryptionScheme
  ) throws(VaultError) -> Secret {
    guard isPrivate, kind == scheme.kind else { throw Self.otherKey }
    if case .ecies(let digest) = scheme { return try decryptECIES(bytes, digest) }
    let key = try LoadedKey(self)
    var written: Int?
    let result = try unsafe Secret(count: blockCount) { memory throws(VaultError) in
      guard let start = unsafe memory.bindMemory(to: UInt8.self).baseAddress else { return }
      var count = memory.count
      written = try unsafe key.withContext { context in
        // The memory is as long as the modulus.
        guard unsafe EVP_PKEY_decrypt_init(context) == 1, unsafe scheme.apply(to: context),
          unsafe EVP_PKEY_decrypt(context, start, &count, bytes, bytes.count) == 1
        else { return nil }
        return count
      }
    }
    return result.prefix(written ?? 0)
  }
}

extension EncryptionScheme {
  /// Sets the padding of a context; false if libcrypto refuses.
  @unsafe fileprivate func apply(to context: OpaquePointer) -> Bool {
    // The context is the caller's; functions of hashes are constants.
    switch self {
    case .ecies: false
    case .rsaRaw: unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1
    case .rsaPKCS1: unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
    case .rsaOAEP(let digest):
      unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
        && EVP_PKEY_CTX_set_rsa_oaep_md(context, digest.hash.function) == 1
        && EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest.hash.function) == 1
    }
  }
}
