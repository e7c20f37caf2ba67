import VaultModel

/// A challenge to prove knowledge of the password without sending it.
///
/// - Source: RFC 7616 §3.3.
package struct DigestChallenge: Sendable {
  /// The realm.
  package let realm: String
  /// The nonce that each response is made for; never empty.
  package let nonce: String
  /// The value that is returned unchanged; nil if there was none.
  package let opaque: String?
  /// The hash, and whether the key is a session's.
  package let algorithm: DigestAlgorithm
  /// The name of the algorithm as the server wrote it, in its case; nil if it wrote none.
  ///
  /// A response has the same, because servers compare it as text, and older ones refuse a response
  /// with a name that they have not sent.
  ///
  /// - Source: RFC 7616 §3.4, RFC 2069 §2.1.2.
  package let algorithmName: String?
  /// Whether the server supports the quality of protection `auth`.
  ///
  /// If neither this nor ``requiresIntegrity`` is true, RFC 2069 applies.
  package let offersAuth: Bool
  /// Whether `auth-int` is the only quality of protection that the server supports: the response
  /// then covers the request's body.
  package let requiresIntegrity: Bool
  /// The URIs that the credential applies to, as written; empty for the whole server.
  package let domain: [String]
  /// Whether the previous request's nonce was too old and the password right.
  package let isStale: Bool
  /// Whether the user name may be sent hashed.
  package let offersUserHash: Bool
  /// Whether the server says that it reads UTF-8, in which user and password are hashed in any
  /// case.
  package let isUTF8: Bool

  /// The quality of protection of the response; nil as in RFC 2069.
  package var qop: String? { offersAuth ? "auth" : requiresIntegrity ? "auth-int" : nil }

  /// Creates a challenge from its parts, without control characters.
  ///
  /// Without an algorithm, which means MD5, it names none; its name may be in another case than RFC
  /// 7616 has it.
  package init(
    realm: String, nonce: String, opaque: String? = nil, algorithm: DigestAlgorithm? = nil,
    algorithmName: String? = nil, offersAuth: Bool = true, requiresIntegrity: Bool = false,
    domain: [String] = [],
    isStale: Bool = false,
    offersUserHash: Bool = false, isUTF8: Bool = false
  ) {
    self.realm = realm
    self.nonce = nonce
    self.opaque = opaque
    self.algorithm = algorithm ?? .md5
    self.algorithmName = algorithm.map { algorithmName ?? $0.name }
    self.offersAuth = offersAuth
    self.requiresIntegrity = requiresIntegrity
    self.domain = domain
    self.isStale = isStale
    self.offersUserHash = offersUserHash
    self.isUTF8 = isUTF8
  }
}

extension DigestChallenge: Hashable {
  /// Returns whether both have the same contents, byte for byte.
  package static func == (left: DigestChallenge, right: DigestChallenge) -> Bool {
    left.realm.hasSameBytes(as: right.realm) && left.nonce.hasSameBytes(as: right.nonce)
      && (left.opaque == nil) == (right.opaque == nil)
      && (left.opaque ?? "").hasSameBytes(as: right.opaque ?? "")
      && left.algorithm == right.algorithm
      && (left.algorithmName == nil) == (right.algorithmName == nil)
      && (left.algorithmName ?? "").hasSameBytes(as: right.algorithmName ?? "")
      && left.offersAuth == right.offersAuth
      && left.requiresIntegrity == right.requiresIntegrity
      && left.domain.elementsEqual(right.domain) { $0.hasSameBytes(as: $1) }
      && left.isStale == right.isStale && left.offersUserHash == right.offersUserHash
      && left.isUTF8 == right.isUTF8
  }

  /// Hashes the bytes of realm and nonce.
  package func hash(into hasher: inout Hasher) {
    realm.hashBytes(into: &hasher)
    nonce.hashBytes(into: &hasher)
  }
}

extension DigestChallenge {
  /// Interprets a challenge's parameters; without a realm, the realm is empty.
  ///
  /// - Source: RFC 7616 §3.3.
  static func reading(_ draft: ChallengeDraft) -> ChallengeDraft.Reading {
    guard let nonce = draft.value(of: "nonce"), !nonce.isEmpty else {
      return .malformed("no nonce")
    }
    let algorithmName = draft.value(of: "algorithm")
    let algorithm = algorithmName.flatMap(DigestAlgorithm.init(name:))
    guard algorithmName == nil || algorithm != nil else { return .malformed("unknown algorithm") }
    let qop = draft.value(of: "qop").map(Self.words)
    let offersAuth = qop?.contains("auth") ?? false
    let offersIntegrity = qop?.contains("auth-int") ?? false
    guard qop == nil || offersAuth || offersIntegrity else { return .malformed("no known qop") }
    // RFC 2069 sends no cnonce, without which the server cannot compute a session's key.
    guard qop != nil || algorithm?.isSession != true else {
      return .malformed("algorithm of a session without qop")
    }
    let domain = (draft.value(of: "domain") ?? "").utf8.split {
      $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
    }
    return .challenge(
      .digest(
        DigestChallenge(
          realm: draft.value(of: "realm") ?? "", nonce: nonce, opaque: draft.value(of: "opaque"),
          algorithm: algorithm, algorithmName: algorithmName, offersAuth: offersAuth,
          requiresIntegrity: offersIntegrity && !offersAuth,
          domain: domain.map { String(Substring($0)) },
          isStale: draft.isTrue("stale"), offersUserHash: draft.isTrue("userhash"),
          isUTF8: draft.isUTF8)))
  }

  /// Returns the words of a list of qualities of protection, in lower case.
  private static func words(of qop: String) -> [String] {
    qop.utf8.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }
      .map { String(Substring($0)).lowercasedASCII }
  }

  /// The field value, with parameters quoted or not as RFC 7616 §3.3 requires.
  var fieldValue: String {
    var writer = FieldWriter(scheme: AuthenticationMethod.digest.scheme)
    writer.append("realm", quoted: realm)
    if !domain.isEmpty { writer.append("domain", quoted: domain.joined(separator: " ")) }
    writer.append("nonce", quoted: nonce)
    if let opaque { writer.append("opaque", quoted: opaque) }
    if isStale { writer.append("stale", token: "true") }
    if let algorithmName { writer.append("algorithm", token: algorithmName) }
    if let qop { writer.append("qop", quoted: qop) }
    if isUTF8 { writer.append("charset", token: "UTF-8") }
    if offersUserHash { writer.append("userhash", token: "true") }
    return writer.text
  }
}

/// The algorithm of a Digest challenge.
///
/// - Source: RFC 7616 §3.4.2, and RFC 2069, whose default is MD5.
package struct DigestAlgorithm: Hashable, Sendable {
  /// The hash function, the weakest first.
  package enum Hash: Sendable, Comparable {
    /// MD5.
    case md5
    /// SHA-256.
    case sha256
    /// SHA-512/256 of FIPS 180-4, which is not a truncated SHA-512.
    case sha512_256
  }

  /// The hash function.
  package let hash: Hash
  /// Whether the key is derived from the password once for each nonce, `-sess`.
  package let isSession: Bool

  /// Creates an algorithm from its parts.
  package init(_ hash: Hash, isSession: Bool = false) {
    self.hash = hash
    self.isSession = isSession
  }

  /// The algorithm of a challenge that names none.
  package static let md5 = DigestAlgorithm(.md5)

  /// Finds an algorithm by its name in challenges, in any case; nil if it is unknown.
  package init?(name: String) {
    guard let known = Self.all.first(where: { $0.name.hasSameBytesIgnoringCase(as: name) }) else {
      return nil
    }
    self = known
  }

  private static let all = [Hash.md5, .sha256, .sha512_256].flatMap {
    [DigestAlgorithm($0), DigestAlgorithm($0, isSession: true)]
  }

  /// The name as RFC 7616 spells it.
  package var name: String {
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
  package static func < (left: DigestAlgorithm, right: DigestAlgorithm) -> Bool {
    (left.hash, left.isSession ? 0 : 1) < (right.hash, right.isSession ? 0 : 1)
  }
}
