import VaultModel

/// A challenge to send user and password in clear.
///
/// - Source: RFC 7617 §2.
public struct BasicChallenge: Sendable {
  /// The realm.
  public let realm: String
  /// Whether the server says that it reads UTF-8, which is sent in any case.
  public let isUTF8: Bool

  /// Creates a challenge from its parts, without control characters.
  package init(realm: String, isUTF8: Bool = false) {
    self.realm = realm
    self.isUTF8 = isUTF8
  }
}

extension BasicChallenge: Hashable {
  /// Returns whether both have the same contents, byte for byte.
  public static func == (left: BasicChallenge, right: BasicChallenge) -> Bool {
    left.isUTF8 == right.isUTF8 && left.realm.hasSameBytes(as: right.realm)
  }

  /// Hashes the realm's bytes.
  public func hash(into hasher: inout Hasher) {
    realm.hashBytes(into: &hasher)
  }
}
