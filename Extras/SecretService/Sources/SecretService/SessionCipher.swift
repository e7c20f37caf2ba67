import CSecretServiceCrypto
import SecureMemory
import VaultModel

/// AES-128 in CBC mode with PKCS #7 padding, the encryption of a session.
///
/// Nothing authenticates what is decrypted: it is as trustworthy as the bus.
enum SessionCipher {
  static let ivCount = 16
  private static let blockCount = 16

  /// Encrypts a secret under a fresh initialization vector.
  static func encrypt(
    _ secret: Secret, _ key: Secret
  ) throws(VaultError) -> (iv: Secret, bytes: Secret) {
    let iv = Secret(random: ivCount)
    let bytes = try run(secret, key, iv, isEncryption: true)
    return (iv, bytes)
  }

  /// Decrypts what a client sent.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a vector or a ciphertext of a wrong length,
  ///   and for a wrong padding.
  static func decrypt(
    _ bytes: Secret, iv: Secret, _ key: Secret
  ) throws(VaultError) -> Secret {
    guard iv.count == ivCount, bytes.count > 0, bytes.count % blockCount == 0 else { throw refused }
    return try run(bytes, key, iv, isEncryption: false)
  }

  private static func run(
    _ input: Secret, _ key: Secret, _ iv: Secret, isEncryption: Bool
  ) throws(VaultError) -> Secret {
    // Of this function alone; freeing it wipes it.
    guard let context = unsafe EVP_CIPHER_CTX_new() else {
      throw VaultError(.outOfMemory, "libcrypto has no memory")
    }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    // The key and the vector have 16 bytes each, and are copied.
    let isReady = unsafe key.withOctets { key in
      unsafe iv.withOctets { iv in
        unsafe EVP_CipherInit_ex2(
          context, EVP_aes_128_cbc(), key.baseAddress, iv.baseAddress, isEncryption ? 1 : 0, nil)
          == 1
      }
    }
    guard isReady else { throw VaultError(.internalError, "libcrypto failed") }
    var written = 0
    let output = try unsafe Secret(count: input.count + blockCount) { (memory) throws(VaultError) in
      var (count, rest): (Int32, Int32) = (0, 0)
      // The output is a block longer than the input, as libcrypto asks; the length fits, because
      // it is that of a message.
      let start = unsafe memory.bindMemory(to: UInt8.self).baseAddress
      let isDone = unsafe input.withOctets {
        unsafe EVP_CipherUpdate(context, start, &count, $0.baseAddress, Int32($0.count)) == 1
      }
      guard isDone, let start = unsafe start,
        unsafe EVP_CipherFinal_ex(context, start + Int(count), &rest) == 1
      else { throw refused }
      written = Int(count + rest)
    }
    return output.beginning(written)
  }

  private static var refused: VaultError {
    VaultError(.invalidArgument, "the secret is not encrypted as the session says")
  }
}

extension Secret {
  /// Calls `body` with the bytes for C, which are valid until it returns.
  @unsafe func withOctets<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    withBytes { bytes in unsafe bytes.withUnsafeBufferPointer(body) }
  }

  /// Returns its first bytes, at most all.
  func beginning(_ count: Int) -> Secret {
    withBytes { bytes in Secret(copying: bytes.extracting(first: count)) }
  }
}
