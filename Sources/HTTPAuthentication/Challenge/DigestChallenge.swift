/// A challenge to prove that one knows the password, without sending it.
///
/// - Source: RFC 7616 §3.3.
public struct DigestChallenge: Hashable, Sendable {
  /// The realm.
  public let realm: String
  /// What each response is made for.
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
}
