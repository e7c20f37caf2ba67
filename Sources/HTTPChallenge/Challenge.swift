public import VaultModel

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field.
///
/// - Source: RFC 9110 §11.3.
public enum Challenge: Hashable, Sendable {
  /// RFC 7617.
  case basic(BasicChallenge)
  /// RFC 7616.
  case digest(DigestChallenge)
  /// RFC 6750.
  case bearer(BearerChallenge)
  /// A scheme that is not answered here, known or unknown.
  case unanswered(UnansweredChallenge)

  /// The scheme.
  public var method: AuthenticationMethod {
    switch self {
    case .basic: .basic
    case .digest: .digest
    case .bearer: .bearer
    case .unanswered(let challenge): challenge.method
    }
  }

  /// The realm, exactly as the server wrote it; empty if it named none.
  public var realm: String {
    switch self {
    case .basic(let challenge): challenge.realm
    case .digest(let challenge): challenge.realm
    case .bearer(let challenge): challenge.realm
    case .unanswered(let challenge): challenge.realm
    }
  }
}

extension Challenge {
  /// Returns whether the other challenge uses a stronger scheme.
  func isWeaker(than other: Challenge) -> Bool {
    switch (self, other) {
    case (.digest(let mine), .digest(let theirs)): mine.algorithm < theirs.algorithm
    case (.digest, _), (_, .unanswered): false
    case (_, .digest), (.unanswered, _): true
    // A token opens less than a password does, and for a shorter time.
    case (.basic, .bearer): true
    case (.basic, .basic), (.bearer, _): false
    }
  }
}

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

/// A challenge of a scheme that is not answered here, and what the scheme needs.
public struct UnansweredChallenge: Sendable {
  /// One `name=value` of a challenge.
  public struct Parameter: Sendable {
    /// The name, in lower case.
    public let name: String
    /// The value, without quotes and escapes.
    public let value: String

    /// Creates a parameter with a name in lower case, without control characters.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The requirement of a scheme.
  public enum Need: Sendable, Hashable {
    /// NTLM: user, password and account domain, in several steps over one connection.
    case accountOverOneConnection
    /// Negotiate: a Kerberos ticket, RFC 4559.
    case kerberosTicket
    /// A scheme of which only the name is known.
    case unknown
  }

  /// The scheme.
  public let method: AuthenticationMethod
  /// The token68, in place of parameters; empty if there is none.
  public let token: String
  /// The parameters in their order, names are unique.
  public let parameters: [Parameter]

  /// The realm; empty if there is none.
  public var realm: String { value(of: "realm") ?? "" }

  /// The requirement of the scheme.
  public var need: Need {
    switch method {
    case .ntlm: .accountOverOneConnection
    case .negotiate: .kerberosTicket
    default: .unknown
    }
  }

  /// Returns the value of a parameter; nil if there is none.
  ///
  /// - Parameter name: The name in lower case.
  /// - Returns: The value, which may be empty.
  public func value(of name: String) -> String? {
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
