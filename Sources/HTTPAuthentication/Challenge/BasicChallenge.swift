/// A challenge to send user and password as they are.
///
/// - Source: RFC 7617 §2.
public struct BasicChallenge: Hashable, Sendable {
  /// The realm.
  public let realm: String
  /// Whether the server says that it reads UTF-8; it is what is sent in any case.
  public let isUTF8: Bool

  /// Makes a challenge of its parts.
  public init(realm: String, isUTF8: Bool = false) {
    self.realm = realm
    self.isUTF8 = isUTF8
  }
}
