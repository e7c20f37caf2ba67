import VaultModel

/// A challenge to send a token.
///
/// - Source: RFC 6750 §3, and the `service` of container registries.
public struct BearerChallenge: Hashable, Sendable {
  /// The parameters in their order; names are in lower case, and unique.
  package let parameters: [UnansweredChallenge.Parameter]

  /// The realm, for container registries the URL of their token service; empty if there is none.
  public var realm: String { value(of: "realm") ?? "" }

  /// The scope that the token must have, words separated by blanks; nil if the server names none.
  public var scope: String? { value(of: "scope") }

  /// The reason why the request's own token was refused, such as `invalid_token`; nil if it had
  /// none.
  public var error: String? { value(of: "error") }

  /// Whether the token is good, but not for this request.
  package var lacksScope: Bool { error?.hasSameBytes(as: "insufficient_scope") ?? false }

  /// Returns the value of a parameter; nil if there is none.
  ///
  /// - Parameter name: The name in lower case.
  /// - Returns: The value, which may be empty.
  public func value(of name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// Creates a challenge from its parts, without control characters.
  package init(parameters: [UnansweredChallenge.Parameter] = []) {
    self.parameters = parameters
  }
}

extension BearerChallenge {
  /// Interprets a challenge's parameters; RFC 6750 requires none of them.
  static func reading(_ draft: ChallengeDraft) -> ChallengeDraft.Reading {
    guard draft.token.isEmpty else { return .malformed("a token in place of parameters") }
    return .challenge(.bearer(BearerChallenge(parameters: draft.parameters)))
  }

  var fieldValue: String {
    var writer = FieldWriter(scheme: AuthenticationMethod.bearer.scheme)
    for parameter in parameters { writer.append(parameter.name, quoted: parameter.value) }
    return writer.text
  }
}
