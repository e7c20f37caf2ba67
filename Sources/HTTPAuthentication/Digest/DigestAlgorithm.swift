/// How Digest hashes.
///
/// - Source: RFC 7616 §3.4.2, and RFC 2069, whose default is MD5.
public struct DigestAlgorithm: Hashable, Sendable {
  /// The hash function, the weakest first.
  public enum Hash: Sendable, Comparable {
    /// MD5.
    case md5
    /// SHA-256.
    case sha256
    /// SHA-512/256 of FIPS 180-4, which is no cut SHA-512.
    case sha512_256
  }

  /// The hash function.
  public let hash: Hash
  /// Whether the key is made of the password once for each nonce, `-sess`.
  public let isSession: Bool
}
