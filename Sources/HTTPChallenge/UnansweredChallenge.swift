public import VaultModel

/// A challenge of a scheme that is not answered here, and what would answer it.
public struct UnansweredChallenge: Sendable {
  /// One `name=value` of a challenge.
  public struct Parameter: Sendable {
    /// The name, in lower case.
    public let name: String
    /// The value, without quotes and escapes.
    public let value: String

    /// Makes a parameter, its name in lower case, without control characters.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// What a scheme wants of a client.
  public enum Need: Sendable, Hashable {
    /// Bearer: a token of the server's own issuer, RFC 6750.
    case token
    /// NTLM: user, password and account domain, in several steps over one connection.
    case accountOverOneConnection
    /// Negotiate: a Kerberos ticket, RFC 4559.
    case kerberosTicket
    /// A scheme that only its name is known of.
    case unknown
  }

  /// The scheme.
  public let method: AuthenticationMethod
  /// The token68 in the place of parameters; empty if there is none.
  public let token: String
  /// The parameters in their order, such as Bearer's `scope` and `error`; no name comes twice.
  public let parameters: [Parameter]

  /// The realm; empty if there is none.
  public var realm: String { value(of: "realm") ?? "" }

  /// What would answer it.
  public var need: Need {
    switch method {
    case .bearer: .token
    case .ntlm: .accountOverOneConnection
    case .negotiate: .kerberosTicket
    default: .unknown
    }
  }

  /// The value of a parameter; nil if it is not there.
  ///
  /// - Parameter name: In lower case.
  /// - Returns: Its value, perhaps empty.
  public func value(of name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// Makes a challenge of its parts, without control characters.
  package init(method: AuthenticationMethod, token: String = "", parameters: [Parameter] = []) {
    self.method = method
    self.token = token
    self.parameters = parameters
  }
}

extension UnansweredChallenge.Parameter: Hashable {
  /// Whether both say the same, byte for byte.
  public static func == (
    left: UnansweredChallenge.Parameter, right: UnansweredChallenge.Parameter
  ) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.value.hasSameBytes(as: right.value)
  }

  /// Hashes the bytes of name and value.
  public func hash(into hasher: inout Hasher) {
    name.hashBytes(into: &hasher)
    value.hashBytes(into: &hasher)
  }
}

extension UnansweredChallenge: Hashable {}
