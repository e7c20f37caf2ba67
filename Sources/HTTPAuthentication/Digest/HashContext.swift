import CVaultLibcrypto
import HTTPChallenge
import SecureMemory
import VaultModel

/// A context that computes one hash after another with the same function, as hexadecimal digits.
///
/// The bytes that libcrypto keeps are wiped: the last block when a hash ends, the whole context
/// when this is destroyed.
// Proof: the context is valid from `init` to `deinit` and has one owner.
@safe struct HashContext: ~Copyable {
  private let context: OpaquePointer
  private let function: HashFunction
  /// The number of digits of one hash.
  let digits: Int

  /// Begins the first hash.
  ///
  /// - Throws: ``VaultError/Code/unsupported`` if libcrypto refuses the function.
  init(_ hash: DigestAlgorithm.Hash) throws(VaultError) {
    let function = try HashFunction.of(hash)
    // A new context or nil; whoever leaves before the end frees it.
    guard let context = unsafe EVP_MD_CTX_new() else {
      throw VaultError(.outOfMemory, "digest: no memory for a hash")
    }
    // The context is ours alone, and the function lives for good.
    guard unsafe EVP_DigestInit_ex2(context, function.pointer, nil) == 1 else {
      unsafe EVP_MD_CTX_free(context)
      throw Self.failure
    }
    // From here on `deinit` frees it.
    unsafe self.context = context
    self.function = function
    digits = hash == .md5 ? 32 : 64
  }

  deinit {
    // Its digest's own context is overwritten by libcrypto (`OPENSSL_clear_free`).
    unsafe EVP_MD_CTX_free(context)
  }

  /// Adds bytes to the hash.
  borrowing func add(_ bytes: RawSpan) throws(VaultError) {
    // `count` bytes from the address on; of none, libcrypto reads none.
    let status = unsafe bytes.withUnsafeBytes {
      unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
    }
    guard status == 1 else { throw Self.failure }
  }

  /// Adds the UTF-8 form of a text.
  borrowing func add(_ text: String) throws(VaultError) {
    // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
    try unsafe add(text.utf8.span.bytes)
  }

  /// Adds two texts with a colon between them.
  borrowing func add(_ first: String, _ second: String) throws(VaultError) {
    try add(first)
    try add(":")
    try add(second)
  }

  /// Ends the hash, writes its digits, and begins the next.
  ///
  /// - Parameter memory: ``digits`` bytes; afterwards it contains only the digits.
  /// - Throws: ``VaultError/Code/internalError`` if libcrypto fails.
  borrowing func finish(into memory: UnsafeMutableRawBufferPointer) throws(VaultError) {
    precondition(memory.count == digits, "memory for the digits of one hash")
    // Within the memory, whose count was checked.
    let upperHalf = unsafe memory.baseAddress?.advanced(by: digits / 2)
    // libcrypto writes half as many bytes as there are digits, and `memory` has room for all.
    guard
      unsafe EVP_DigestFinal_ex(
        context, upperHalf?.assumingMemoryBound(to: UInt8.self), nil) == 1,
      unsafe EVP_DigestInit_ex2(context, function.pointer, nil) == 1
    else { throw Self.failure }
    // The upper half was written just now.
    unsafe Hexadecimal.expandUpperHalf(of: memory)
  }

  /// Ends the hash and begins the next.
  ///
  /// - Returns: Its digits.
  /// - Throws: ``VaultError/Code/internalError`` if libcrypto fails.
  borrowing func finish() throws(VaultError) -> [UInt8] {
    var result: Result<Void, VaultError> = .success(())
    // The array has exactly `digits` bytes, all written unless an error is thrown below.
    let text = unsafe [UInt8](unsafeUninitializedCapacity: digits) { memory, count in
      unsafe memory.initialize(repeating: 0)
      do throws(VaultError) {
        try unsafe finish(into: UnsafeMutableRawBufferPointer(memory))
      } catch {
        result = .failure(error)
      }
      count = digits
    }
    try result.get()
    return text
  }

  /// Ends the hash and begins the next.
  ///
  /// - Returns: Its digits, as sensitive as a password.
  /// - Throws: ``VaultError/Code/internalError`` if libcrypto fails.
  borrowing func finishSecretly() throws(VaultError) -> Secret {
    // The memory is `digits` bytes of the secret's own.
    try unsafe Secret(count: digits) { memory throws(VaultError) in
      try unsafe finish(into: memory)
    }
  }

  private static var failure: VaultError {
    VaultError(.internalError, "digest: libcrypto could not hash")
  }
}

/// A hash function of libcrypto, fetched once in a process and never freed.
///
/// Fetching looks through libcrypto's providers, which takes longer than a whole response.
// Proof: libcrypto never changes what was fetched, and several threads may use it at once.
@safe struct HashFunction: @unchecked Sendable {
  let pointer: OpaquePointer

  private static let md5 = HashFunction(name: "MD5")
  private static let sha256 = HashFunction(name: "SHA2-256")
  private static let sha512_256 = HashFunction(name: "SHA2-512/256")

  /// Finds the function.
  ///
  /// - Throws: ``VaultError/Code/unsupported`` if libcrypto lacks it, as with MD5 in FIPS mode.
  static func of(_ hash: DigestAlgorithm.Hash) throws(VaultError) -> HashFunction {
    switch hash {
    case .md5: try required(md5, hash)
    case .sha256: try required(sha256, hash)
    case .sha512_256: try required(sha512_256, hash)
    }
  }

  static func required(
    _ function: HashFunction?, _ hash: DigestAlgorithm.Hash
  ) throws(VaultError) -> HashFunction {
    guard let function else { throw VaultError(.unsupported, "digest: libcrypto refuses \(hash)") }
    return function
  }

  /// Fetches a function; returns nil if no provider has it.
  ///
  /// - Parameters:
  ///   - name: The name in libcrypto.
  ///   - properties: The properties that a provider must have, such as `fips=yes`.
  init?(name: String, properties: String? = nil) {
    // Both texts are C strings for the call; the result is owned by this value, for good.
    guard let pointer = unsafe EVP_MD_fetch(nil, name, properties) else { return nil }
    unsafe self.pointer = pointer
  }
}
