import CSecretServiceCrypto
import SecureMemory
import VaultModel

/// The key agreement of an encrypted session: Diffie-Hellman in the second Oakley group, and a key
/// for AES of it.
///
/// It keeps secrets out of logs of the bus, and no more: 1024 bits are few, and nobody proves who
/// they are.
///
/// Source: RFC 2409 §6.2; RFC 5869; Secret Service API 0.2, "dh-ietf1024-sha256-aes128-cbc-pkcs7".
enum KeyAgreement {
  static let algorithm = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
  /// The bytes of the prime, and of each number modulo it.
  private static let byteCount = 128
  private static let keyCount = 16

  /// Answers the other side's public number.
  ///
  /// - Parameter peer: The number, big-endian.
  /// - Returns: Our public number, and the key that both sides have now.
  /// - Throws: ``VaultError/Code/invalidArgument`` for a number that is not between 2 and the prime
  ///   minus 2, which would make the key known to everybody.
  static func agree(with peer: Secret) throws(VaultError) -> (number: Secret, key: Secret) {
    guard (1...byteCount).contains(peer.count) else { throw refused }
    // Numbers of this function alone, wiped and freed at its end. The prime is libcrypto's own.
    guard let context = unsafe BN_CTX_secure_new(),
      let prime = unsafe BN_get_rfc2409_prime_1024(nil),
      let base = unsafe BN_new(), let number = unsafe BN_secure_new(),
      let result = unsafe BN_secure_new()
    else { throw noMemory }
    defer {
      unsafe BN_CTX_free(context)
      unsafe BN_free(prime)
      unsafe BN_clear_free(base)
      unsafe BN_clear_free(number)
      unsafe BN_clear_free(result)
    }
    // As above.
    guard unsafe BN_priv_rand(number, 1024, -1, 0) == 1,
      unsafe BN_set_word(base, 2) == 1,
      unsafe BN_mod_exp_mont_consttime(result, base, number, prime, context, nil) == 1
    else { throw failed }
    let own = try unsafe bytes(of: result)
    // The number is copied.
    let isRead = unsafe peer.withOctets {
      unsafe BN_bin2bn($0.baseAddress, Int32($0.count), base) != nil
    }
    // 1 < peer < prime − 1: `result` is the prime minus one for a moment.
    guard isRead, unsafe BN_sub(result, prime, BN_value_one()) == 1 else { throw failed }
    guard unsafe BN_is_zero(base) == 0, unsafe BN_is_one(base) == 0, unsafe BN_cmp(base, result) < 0
    else { throw refused }
    guard unsafe BN_mod_exp_mont_consttime(result, base, number, prime, context, nil) == 1 else {
      throw failed
    }
    // With its leading zeros, as every client has it.
    return (own, try unsafe key(from: bytes(of: result)))
  }

  private static func bytes(of number: OpaquePointer) throws(VaultError) -> Secret {
    try unsafe Secret(count: byteCount) { (memory) throws(VaultError) in
      // The number is below the prime, and `memory` as long as that.
      let count = unsafe BN_bn2binpad(
        number, memory.bindMemory(to: UInt8.self).baseAddress, Int32(byteCount))
      guard count == Int32(byteCount) else { throw failed }
    }
  }

  /// Derives the key by HKDF with SHA-256, without salt and information: two HMACs.
  private static func key(from shared: Secret) throws(VaultError) -> Secret {
    let salt = [UInt8](repeating: 0, count: 32)
    let pseudorandom = try authenticationCode(of: shared, key: Secret(copying: salt.span))
    let counter: [UInt8] = [1]
    let output = try authenticationCode(of: Secret(copying: counter.span), key: pseudorandom)
    return output.beginning(keyCount)
  }

  private static func authenticationCode(
    of data: Secret, key: Secret
  ) throws(VaultError) -> Secret {
    try unsafe Secret(count: 32) { (memory) throws(VaultError) in
      // All three are valid during the call, and SHA-256 has 32 bytes.
      let result = unsafe key.withOctets { key in
        unsafe data.withOctets { data in
          unsafe HMAC(
            EVP_sha256(), key.baseAddress, Int32(key.count), data.baseAddress, data.count,
            memory.bindMemory(to: UInt8.self).baseAddress, nil)
        }
      }
      guard unsafe result != nil else { throw failed }
    }
  }

  private static var refused: VaultError {
    VaultError(.invalidArgument, "the public key is no number of the group")
  }

  private static var failed: VaultError { VaultError(.internalError, "libcrypto failed") }

  private static var noMemory: VaultError { VaultError(.outOfMemory, "libcrypto has no memory") }
}
