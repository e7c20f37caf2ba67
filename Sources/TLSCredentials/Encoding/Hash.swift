import CVaultLibcrypto
import SecureMemory
import VaultModel

/// A hash function of libcrypto.
enum Hash: CaseIterable {
  case sha1, sha224, sha256, sha384, sha512, sha512_224, sha512_256

  /// Finds the function of a digest's identifier.
  static func digest(_ oid: OID) -> Hash? {
    if oid == .sha1 { return .sha1 }
    return switch oid.last(below: .sha2) {
    case 1: .sha256
    case 2: .sha384
    case 3: .sha512
    case 4: .sha224
    case 5: .sha512_224
    case 6: .sha512_256
    default: nil
    }
  }

  /// Finds the function of an HMAC's identifier (RFC 8018 B.1).
  static func hmac(_ oid: OID) -> Hash? {
    switch oid.last(below: .hmac) {
    case 7: .sha1
    case 8: .sha224
    case 9: .sha256
    case 10: .sha384
    case 11: .sha512
    case 12: .sha512_224
    case 13: .sha512_256
    default: nil
    }
  }

  /// The bytes of a hash.
  var count: Int {
    switch self {
    case .sha1: 20
    case .sha224, .sha512_224: 28
    case .sha256, .sha512_256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// The bytes that the function takes at once.
  var blockCount: Int {
    switch self {
    case .sha1, .sha224, .sha256: 64
    case .sha384, .sha512, .sha512_224, .sha512_256: 128
    }
  }

  /// libcrypto's own constant, which is never freed.
  @unsafe var function: OpaquePointer? {
    switch self {
    case .sha1: unsafe EVP_sha1()
    case .sha224: unsafe EVP_sha224()
    case .sha256: unsafe EVP_sha256()
    case .sha384: unsafe EVP_sha384()
    case .sha512: unsafe EVP_sha512()
    case .sha512_224: unsafe EVP_sha512_224()
    case .sha512_256: unsafe EVP_sha512_256()
    }
  }

  /// Returns the hash of public bytes.
  func callAsFunction(_ bytes: [UInt8]) throws(VaultError) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: count)
    // The output has the bytes of this function's hashes.
    guard unsafe EVP_Digest(bytes, bytes.count, &hash, nil, function, nil) == 1 else {
      throw Crypto.failed
    }
    return hash
  }

  /// Returns the hash of secret bytes.
  func callAsFunction(_ bytes: Secret) throws(VaultError) -> Secret {
    var isDone = false
    let hash = unsafe Secret(count: count) { memory in
      let start = unsafe memory.bindMemory(to: UInt8.self).baseAddress
      // The output has the bytes of this function's hashes.
      isDone = unsafe bytes.withOctets { bytes in
        unsafe EVP_Digest(bytes.baseAddress, bytes.count, start, nil, function, nil) == 1
      }
    }
    guard isDone else { throw Crypto.failed }
    return hash
  }

  /// Returns the authentication code of bytes under a key.
  func authenticationCode(of bytes: Secret, key: Secret) throws(VaultError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: count)
    // Key and bytes are valid during the call, and the output is as long as the hash.
    let result = unsafe key.withOctets { key in
      unsafe bytes.withOctets { bytes in
        unsafe HMAC(
          function, key.baseAddress, Int32(key.count), bytes.baseAddress, bytes.count, &code, nil)
          != nil
      }
    }
    guard result else { throw Crypto.failed }
    return code
  }
}

/// The functions that all uses of libcrypto share.
enum Crypto {
  static var failed: VaultError { VaultError(.internalError, "libcrypto failed") }
  static var noMemory: VaultError { VaultError(.outOfMemory, "libcrypto has no memory") }

  /// Returns libcrypto's form of a structure, which the caller frees.
  ///
  /// - Parameters:
  ///   - der: The encoding of one, and nothing after it.
  ///   - read: The function that reads it, a `d2i_…`.
  ///   - free: The function that frees it.
  /// - Returns: The structure.
  /// - Throws: ``VaultError/Code/invalidData`` if it is malformed.
  @unsafe static func parsed(
    _ der: [UInt8],
    _ read: (
      UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int
    ) -> OpaquePointer?,
    free: (OpaquePointer?) -> Void
  ) throws(VaultError) -> OpaquePointer {
    let parsed = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var position = bytes.baseAddress
      // It reads no more than is said, and moves the position behind what it read.
      guard let parsed = unsafe read(nil, &position, der.count) else { return nil }
      guard unsafe (position == bytes.baseAddress?.advanced(by: der.count)) else {
        unsafe free(parsed)
        return nil
      }
      return unsafe parsed
    }
    guard let parsed = unsafe parsed else {
      ERR_clear_error()
      throw ASN1.malformed
    }
    return unsafe parsed
  }

  /// Returns the bytes that libcrypto's generator draws.
  static func random(_ count: Int) throws(VaultError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    // The array has as many bytes.
    guard unsafe RAND_bytes(&bytes, Int32(count)) == 1 else { throw failed }
    return bytes
  }
}
