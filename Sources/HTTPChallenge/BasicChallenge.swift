import VaultModel

/// A challenge to send user and password in clear.
///
/// - Source: RFC 7617 §2.
package struct BasicChallenge: Sendable {
  /// The realm.
  package let realm: String
  /// Whether the server says that it reads UTF-8, which is sent in any case.
  package let isUTF8: Bool

  /// Creates a challenge from its parts, without control characters.
  package init(realm: String, isUTF8: Bool = false) {
    self.realm = realm
    self.isUTF8 = isUTF8
  }
}

extension BasicChallenge: Hashable {
  /// Returns whether both have the same contents, byte for byte.
  package static func == (left: BasicChallenge, right: BasicChallenge) -> Bool {
    left.isUTF8 == right.isUTF8 && left.realm.hasSameBytes(as: right.realm)
  }

  /// Hashes the realm's bytes.
  package func hash(into hasher: inout Hasher) {
    realm.hashBytes(into: &hasher)
  }
}

extension BasicChallenge {
  /// Interprets a challenge's parameters; without a realm, the realm is empty.
  ///
  /// - Source: RFC 7617 §2, which requires a realm that servers leave out.
  static func reading(_ draft: ChallengeDraft) -> ChallengeDraft.Reading {
    guard draft.token.isEmpty else { return .malformed("a token in place of parameters") }
    return .challenge(
      .basic(BasicChallenge(realm: draft.value(of: "realm") ?? "", isUTF8: draft.isUTF8)))
  }

  var fieldValue: String {
    var writer = FieldWriter(scheme: AuthenticationMethod.basic.scheme)
    writer.append("realm", quoted: realm)
    if isUTF8 { writer.append("charset", token: "UTF-8") }
    return writer.text
  }
}
