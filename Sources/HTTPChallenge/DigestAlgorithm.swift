import VaultModel

/// The algorithm of a Digest challenge.
///
/// - Source: RFC 7616 §3.4.2, and RFC 2069, whose default is MD5.
public struct DigestAlgorithm: Hashable, Sendable {
  /// The hash function, the weakest first.
  public enum Hash: Sendable, Comparable {
    /// MD5.
    case md5
    /// SHA-256.
    case sha256
    /// SHA-512/256 of FIPS 180-4, which is not a truncated SHA-512.
    case sha512_256
  }

  /// The hash function.
  public let hash: Hash
  /// Whether the key is derived from the password once for each nonce, `-sess`.
  public let isSession: Bool

  /// Creates an algorithm from its parts.
  public init(_ hash: Hash, isSession: Bool = false) {
    self.hash = hash
    self.isSession = isSession
  }

  /// The algorithm of a challenge that names none.
  public static let md5 = DigestAlgorithm(.md5)

  /// Finds an algorithm by its name in challenges, in any case; nil if it is unknown.
  public init?(name: String) {
    guard let known = Self.all.first(where: { $0.name.hasSameBytesIgnoringCase(as: name) }) else {
      return nil
    }
    self = known
  }

  private static let all = [Hash.md5, .sha256, .sha512_256].flatMap {
    [DigestAlgorithm($0), DigestAlgorithm($0, isSession: true)]
  }

  /// The name as RFC 7616 spells it.
  public var name: String {
    switch (hash, isSession) {
    case (.md5, false): "MD5"
    case (.md5, true): "MD5-sess"
    case (.sha256, false): "SHA-256"
    case (.sha256, true): "SHA-256-sess"
    case (.sha512_256, false): "SHA-512-256"
    case (.sha512_256, true): "SHA-512-256-sess"
    }
  }
}

extension DigestAlgorithm: Comparable {
  /// Returns whether the right one is preferred: a stronger hash, or for the same hash the plain
  /// one.
  ///
  /// A session key gives no better protection, and servers disagree on when it is made.
  public static func < (left: DigestAlgorithm, right: DigestAlgorithm) -> Bool {
    (left.hash, left.isSession ? 0 : 1) < (right.hash, right.isSession ? 0 : 1)
  }
}
