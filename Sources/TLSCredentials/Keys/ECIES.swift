import CVaultLibcrypto
import SecureMemory
import VaultModel

/// ECIES as Apple's functions do it: a new key for each message, ECDH with it, the KDF of X9.63
/// with the new public key as shared information, and AES-GCM with a vector of 16 bytes from the
/// KDF.
///
/// The result is the new public key, what is encrypted, and a tag of 16 bytes.
///
/// - Source: SEC 1 §5.1 and §3.6.1; the comments of Apple's `SecKey.h` on
///   `kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM`.
extension AsymmetricKey {
  private static let (vectorCount, tagCount) = (16, 16)

  /// The bytes of AES's key: 128 bits for a curve of 256, else 256.
  private var cipherKeyCount: Int { bits <= 256 ? 16 : 32 }

  /// Encrypts bytes for this key.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is not a key of an elliptic curve.
  func encryptECIES(_ bytes: Secret, _ digest: DigestFunction) throws(VaultError) -> [UInt8] {
    guard case .ec(let curve) = algorithm else { throw Self.otherKey }
    let (own, point) = try LoadedKey.make(curve: curve)
    let keys = try derive(own.agree(with: LoadedKey(publicKey)), digest, point)
    var encrypted = point
    encrypted += try crypt([], bytes, keys, isEncryption: true).public
    return encrypted
  }

  /// Decrypts bytes that were encrypted for this key.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is not a private key of an elliptic curve,
  ///   or the bytes were not encrypted for it.
  func decryptECIES(_ bytes: [UInt8], _ digest: DigestFunction) throws(VaultError) -> Secret {
    guard isPrivate, case .ec = algorithm else { throw Self.otherKey }
    let pointCount = 1 + 2 * blockCount
    guard bytes.count >= pointCount + Self.tagCount else { throw LoadedKey.refused }
    let point = Array(bytes.prefix(pointCount))
    let sender: AsymmetricKey
    do throws(VaultError) {
      sender = try AsymmetricKey(algorithm, point, nil)
    } catch {
      throw LoadedKey.refused
    }
    let keys = try derive(LoadedKey(self).agree(with: LoadedKey(sender)), digest, point)
    let sealed = bytes[pointCount...].dropLast(Self.tagCount)
    return try crypt(
      Array(bytes.suffix(Self.tagCount)), Secret(copying: Array(sealed).span), keys,
      isEncryption: false)
  }

  /// Returns AES's key and the vector (SEC 1 §3.6.1).
  private func derive(
    _ shared: Secret, _ digest: DigestFunction, _ point: [UInt8]
  ) throws(VaultError) -> Secret {
    let count = cipherKeyCount + Self.vectorCount
    var keys = SecretBuffer(capacity: count + digest.count)
    var counter: UInt32 = 1
    while keys.count < count {
      var input = SecretBuffer(capacity: shared.count + 4 + point.count)
      shared.withRawBytes { input.append($0) }
      for shift in [24, 16, 8, 0] { input.append(UInt8(truncatingIfNeeded: counter >> shift)) }
      for byte in point { input.append(byte) }
      try digest.hash(input.secret(0..<input.count)).withRawBytes { keys.append($0) }
      counter += 1
    }
    return keys.secret(0..<count)
  }

  /// Encrypts bytes, with the tag behind them, or decrypts bytes whose tag is given.
  private func crypt(
    _ tag: [UInt8], _ bytes: Secret, _ keys: Secret, isEncryption: Bool
  ) throws(VaultError) -> Secret {
    // libcrypto counts in 32 bits.
    guard bytes.count <= 1 << 30 else { throw LoadedKey.refused }
    // Of this function alone; freeing it wipes it.
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw Crypto.noMemory }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    let cipher = unsafe cipherKeyCount == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
    let keyCount = cipherKeyCount
    var tag = tag
    // Key and vector have the cipher's lengths, one after the other, and are copied.
    let isReady = unsafe keys.withOctets { keys -> Bool in
      guard let start = keys.baseAddress else { return false }
      return unsafe EVP_CipherInit_ex(context, cipher, nil, nil, nil, isEncryption ? 1 : 0) == 1
        && EVP_CIPHER_CTX_ctrl(
          context, EVP_CTRL_AEAD_SET_IVLEN, Int32(Self.vectorCount), nil) == 1
        && EVP_CipherInit_ex(context, nil, nil, start, start + keyCount, -1) == 1
        && (isEncryption
          || EVP_CIPHER_CTX_ctrl(
            context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagCount), &tag) == 1)
    }
    guard isReady else { throw Crypto.failed }
    var isDone = false
    let result = unsafe Secret(count: bytes.count + Self.tagCount) { memory in
      guard let start = unsafe memory.bindMemory(to: UInt8.self).baseAddress else { return }
      var (count, rest): (Int32, Int32) = (0, 0)
      // GCM writes as many bytes as it reads; the tag is behind them.
      isDone =
        unsafe bytes.withOctets { bytes in
          unsafe EVP_CipherUpdate(context, start, &count, bytes.baseAddress, Int32(bytes.count))
            == 1
        }
        && EVP_CipherFinal_ex(context, start + Int(count), &rest) == 1
        && (!isEncryption
          || EVP_CIPHER_CTX_ctrl(
            context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagCount), start + Int(count)) == 1)
    }
    guard isDone else {
      ERR_clear_error()
      throw LoadedKey.refused
    }
    return isEncryption ? result : result.prefix(bytes.count)
  }
}

extension LoadedKey {
  /// Makes a key of a curve for one message.
  ///
  /// - Returns: The key, and its public point.
  static func make(curve: String) throws(VaultError) -> (key: LoadedKey, point: [UInt8]) {
    // Freed at the end of this function.
    guard let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { throw Crypto.noMemory }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var made: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(context) == 1,
      unsafe EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, OBJ_sn2nid(curve)) == 1,
      unsafe EVP_PKEY_keygen(context, &made) == 1, let pointer = unsafe made
    else { throw Crypto.failed }
    let key = unsafe LoadedKey(owning: pointer)
    var start: UnsafeMutablePointer<UInt8>?
    // libcrypto allocates the bytes, which are copied and freed.
    let count = unsafe EVP_PKEY_get1_encoded_public_key(pointer, &start)
    guard count > 0, let bytes = unsafe start else { throw Crypto.failed }
    defer { unsafe CRYPTO_free(bytes, nil, 0) }
    return (key, unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
  }

  /// Returns the shared secret of this key and another one's public part.
  func agree(with other: LoadedKey) throws(VaultError) -> Secret {
    try unsafe withContext { context in
      unsafe other.withPeer { peer -> Secret? in
        var count = 0
        // The first call asks for the length.
        guard unsafe EVP_PKEY_derive_init(context) == 1,
          unsafe EVP_PKEY_derive_set_peer(context, peer) == 1,
          unsafe EVP_PKEY_derive(context, nil, &count) == 1
        else { return nil }
        var isDone = false
        let shared = unsafe Secret(count: count) { memory in
          isDone =
            unsafe EVP_PKEY_derive(
              context, memory.bindMemory(to: UInt8.self).baseAddress, &count) == 1
        }
        return isDone ? shared.prefix(count) : nil
      }
    }
  }
}
