package import VaultModel

/// A challenge to log in on this connection, perhaps in several rounds: Negotiate or NTLM.
///
/// - Source: RFC 4559 §4, MS-NTHT §2.1.
package struct ConnectionChallenge: Hashable, Sendable {
  /// The scheme.
  package let method: AuthenticationMethod
  /// The server's part of the login as base64; empty if it has not begun.
  package let token: String

  /// Creates a challenge from its parts.
  package init(method: AuthenticationMethod, token: String = "") {
    self.method = method
    self.token = token
  }

  /// Returns whether both have the same bytes.
  package static func == (left: ConnectionChallenge, right: ConnectionChallenge) -> Bool {
    left.method == right.method && left.token.hasSameBytes(as: right.token)
  }

  /// Hashes the scheme and the bytes.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(method)
    token.hashBytes(into: &hasher)
  }
}

extension ConnectionChallenge {
  /// Interprets a challenge; with parameters, the scheme is not one that is known.
  static func reading(
    _ draft: ChallengeDraft, _ method: AuthenticationMethod
  ) -> ChallengeDraft.Reading {
    guard draft.parameters.isEmpty else {
      return .challenge(
        .unanswered(UnansweredChallenge(method: method, parameters: draft.parameters)))
    }
    return .challenge(.connection(ConnectionChallenge(method: method, token: draft.token)))
  }

  var fieldValue: String {
    var writer = FieldWriter(scheme: method.scheme)
    if !token.isEmpty { writer.append(token68: token) }
    return writer.text
  }
}
