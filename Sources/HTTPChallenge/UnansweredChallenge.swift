package import VaultModel

/// A challenge of a scheme that is not answered here.
package struct UnansweredChallenge: Sendable {
  /// One `name=value` of a challenge.
  package struct Parameter: Sendable {
    /// The name, in lower case.
    package let name: String
    /// The value, without quotes and escapes.
    package let value: String

    /// Creates a parameter with a name in lower case, without control characters.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The scheme.
  package let method: AuthenticationMethod
  /// The token68, in place of parameters; empty if there is none.
  package let token: String
  /// The parameters in their order, names are unique.
  package let parameters: [Parameter]

  /// The realm; empty if there is none.
  package var realm: String { value(of: "realm") ?? "" }

  /// Returns the value of a parameter; nil if there is none.
  ///
  /// - Parameter name: The name in lower case.
  /// - Returns: The value, which may be empty.
  package func value(of name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// Creates a challenge from its parts, without control characters.
  package init(method: AuthenticationMethod, token: String = "", parameters: [Parameter] = []) {
    self.method = method
    self.token = token
    self.parameters = parameters
  }
}

extension UnansweredChallenge.Parameter: Hashable {
  /// Returns whether both have the same contents, byte for byte.
  package static func == (
    left: UnansweredChallenge.Parameter, right: UnansweredChallenge.Parameter
  ) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.value.hasSameBytes(as: right.value)
  }

  /// Hashes the bytes of name and value.
  package func hash(into hasher: inout Hasher) {
    name.hashBytes(into: &hasher)
    value.hashBytes(into: &hasher)
  }
}

extension UnansweredChallenge: Hashable {
  var fieldValue: String {
    var writer = FieldWriter(scheme: method.scheme)
    if !token.isEmpty { writer.append(token68: token) }
    for parameter in parameters { writer.append(parameter.name, quoted: parameter.value) }
    return writer.text
  }
}
