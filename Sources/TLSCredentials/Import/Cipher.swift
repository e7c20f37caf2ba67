import CVaultLibcrypto
import SecureMemory
import VaultModel

/// A block cipher in CBC mode, as files of keys use it.
enum Cipher {
  case aes128, aes192, aes256, tripleDES, twoKeyTripleDES, rc2, rc2_40

  /// The bytes of its key.
  var keyCount: Int {
    switch self {
    case .aes128, .twoKeyTripleDES, .rc2: 16
    case .aes192, .tripleDES: 24
    case .aes256: 32
    case .rc2_40: 5
    }
  }

  /// The bytes of a block, and of the initialization vector.
  var blockCount: Int {
    switch self {
    case .aes128, .aes192, .aes256: 16
    case .tripleDES, .twoKeyTripleDES, .rc2, .rc2_40: 8
    }
  }

  private var name: String {
    switch self {
    case .aes128: "AES-128-CBC"
    case .aes192: "AES-192-CBC"
    case .aes256: "AES-256-CBC"
    case .tripleDES: "DES-EDE3-CBC"
    case .twoKeyTripleDES: "DES-EDE-CBC"
    case .rc2: "RC2-CBC"
    case .rc2_40: "RC2-40-CBC"
    }
  }

  private var isLegacy: Bool { self == .rc2 || self == .rc2_40 }

  /// Encrypts bytes, with padding.
  func encrypt(_ bytes: Secret, key: Secret, iv: [UInt8]) throws(VaultError) -> Secret {
    guard let result = try run(bytes, key, iv, isEncryption: true) else { throw Crypto.failed }
    return result
  }

  /// Decrypts bytes; nil if the padding is wrong, as it is with most wrong keys.
  func decrypt(_ bytes: Secret, key: Secret, iv: [UInt8]) throws(VaultError) -> Secret? {
    guard bytes.count > 0, bytes.count % blockCount == 0 else { throw ASN1.malformed }
    return try run(bytes, key, iv, isEncryption: false)
  }

  private func run(
    _ input: Secret, _ key: Secret, _ iv: [UInt8], isEncryption: Bool
  ) throws(VaultError) -> Secret? {
    guard key.count == keyCount, iv.count == blockCount else { throw ASN1.malformed }
    let library = isLegacy ? LegacyAlgorithms.shared : nil
    // Both are of this function alone; freeing the context wipes it.
    guard let cipher = unsafe EVP_CIPHER_fetch(library?.context, name, nil) else {
      ERR_clear_error()
      throw VaultError(
        .unsupportedAlgorithm, "identity file: this machine's OpenSSL does not provide \(name)")
    }
    defer { unsafe EVP_CIPHER_free(cipher) }
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw Crypto.noMemory }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    // Key and vector have the cipher's lengths, and are copied.
    let isReady = unsafe key.withOctets { key in
      unsafe EVP_CipherInit_ex2(context, cipher, key.baseAddress, iv, isEncryption ? 1 : 0, nil)
        == 1
    }
    guard isReady else { throw Crypto.failed }
    var written: Int? = nil
    // The output is a block longer than the input, as libcrypto asks.
    let output = unsafe Secret(count: input.count + blockCount) { memory in
      var (count, rest): (Int32, Int32) = (0, 0)
      guard let start = unsafe memory.bindMemory(to: UInt8.self).baseAddress else { return }
      let isDone = unsafe input.withOctets {
        unsafe EVP_CipherUpdate(context, start, &count, $0.baseAddress, Int32($0.count)) == 1
      }
      guard isDone, unsafe EVP_CipherFinal_ex(context, start + Int(count), &rest) == 1 else {
        ERR_clear_error()
        return
      }
      written = Int(count + rest)
    }
    return written.map { output.prefix($0) }
  }
}

/// Algorithms that OpenSSL keeps apart, in a library context of their own: the rest of the process
/// goes on without them.
// Proof: a context that is made once and never freed; libcrypto locks what is in it.
@safe final class LegacyAlgorithms: @unchecked Sendable {
  static let shared = LegacyAlgorithms()

  /// Nil if there is no memory; without its providers it has no algorithm.
  let context: OpaquePointer?

  private init() {
    // Made once, for the life of the process. Without `default` the other has no KDF.
    unsafe context = OSSL_LIB_CTX_new()
    for name in ["default", "legacy"] {
      // libcrypto keeps the provider, or has noted an error.
      _ = unsafe OSSL_PROVIDER_load(context, name)
    }
    ERR_clear_error()
  }
}
