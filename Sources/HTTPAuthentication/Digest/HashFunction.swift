import CCrypto
import HTTPChallenge
import VaultModel

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
