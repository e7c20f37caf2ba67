import VaultModel

/// A challenge to prove that one knows the password, without sending it.
///
/// - Source: RFC 7616 §3.3.
public struct DigestChallenge: Sendable {
  /// The realm.
  public let realm: String
  /// What each response is made for; never empty.
  public let nonce: String
  /// What is sent back as it came; nil if there was none.
  public let opaque: String?
  /// The hash, and whether it is one of a session.
  public let algorithm: DigestAlgorithm
  /// Whether the server knows the quality of protection `auth`; without it, it speaks RFC 2069.
  public let offersAuth: Bool
  /// The URIs that the credential is good for, as written; none for the whole server.
  public let domain: [String]
  /// Whether the nonce of the request before was too old, and the password right.
  public let isStale: Bool
  /// Whether the user name may be sent hashed.
  public let offersUserHash: Bool
  /// Whether user and password are hashed as UTF-8; they are in any case.
  public let isUTF8: Bool

  /// Makes a challenge of its parts, without control characters.
  package init(
    realm: String, nonce: String, opaque: String? = nil, algorithm: DigestAlgorithm = .md5,
    offersAuth: Bool = true, domain: [String] = [], isStale: Bool = false,
    offersUserHash: Bool = false, isUTF8: Bool = false
  ) {
    self.realm = realm
    self.nonce = nonce
    self.opaque = opaque
    self.algorithm = algorithm
    self.offersAuth = offersAuth
    self.domain = domain
    self.isStale = isStale
    self.offersUserHash = offersUserHash
    self.isUTF8 = isUTF8
  }
}

extension DigestChallenge: Hashable {
  /// Whether both say the same, byte for byte.
  public static func == (left: DigestChallenge, right: DigestChallenge) -> Bool {
    left.realm.hasSameBytes(as: right.realm) && left.nonce.hasSameBytes(as: right.nonce)
      && (left.opaque == nil) == (right.opaque == nil)
      && (left.opaque ?? "").hasSameBytes(as: right.opaque ?? "")
      && left.algorithm == right.algorithm && left.offersAuth == right.offersAuth
      && left.domain.elementsEqual(right.domain) { $0.hasSameBytes(as: $1) }
      && left.isStale == right.isStale && left.offersUserHash == right.offersUserHash
      && left.isUTF8 == right.isUTF8
  }

  /// Hashes the bytes of realm and nonce.
  public func hash(into hasher: inout Hasher) {
    realm.hashBytes(into: &hasher)
    nonce.hashBytes(into: &hasher)
  }
}
