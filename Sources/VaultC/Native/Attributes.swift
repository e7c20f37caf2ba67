import CVault
import SecureMemory
import VaultModel

/// Attributes that are named, each once, with a value.
///
/// They are kept as what a query asks for, which has a place for each, and for whether it is named at all; beside it what
/// no query asks for.
struct Attributes: Sendable {
  private(set) var asked = ItemQuery() {
    didSet { askedOfSpace = nil }
  }
  private(set) var expires: Timestamp?
  private(set) var secret: Secret?
  private(set) var refreshToken: Secret?
  /// What ``queryOfSpace()`` made; it is asked for again and again.
  private var askedOfSpace: ItemQuery?

  /// Names an attribute that is text.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for one that is a number or to read only, and for a text that it cannot be.
  mutating func name(_ attribute: vault_attribute_t, text: String) throws(VaultError) {
    switch attribute {
    case VAULT_ACCOUNT: asked.account = .equals(text)
    case VAULT_REALM: asked.realm = .equals(text)
    case VAULT_SERVER: asked.server = .equals(try HostName(text))
    case VAULT_PROTOCOL: asked.protocol = .equals(try NetworkProtocol(text))
    case VAULT_AUTHENTICATION_METHOD:
      asked.authenticationMethod = .equals(try AuthenticationMethod(text))
    case VAULT_PATH: asked.path = .equals(text)
    case VAULT_LABEL: asked.label = .equals(text)
    case VAULT_COMMENT: asked.comment = .equals(text)
    case VAULT_KIND: asked.kind = .equals(text)
    case VAULT_ORIGIN: asked.origin = .equals(text)
    case VAULT_ACCOUNT_DOMAIN: asked.accountDomain = .equals(text)
    case VAULT_ID: asked.id = try ItemID(text: text)
    default: throw VaultError(.invalidArgument, "an attribute that is no text that can be set")
    }
  }

  /// Names an attribute that is a number.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for one that is text or to read only, and for a number that it cannot be.
  mutating func name(_ attribute: vault_attribute_t, number: UInt64) throws(VaultError) {
    switch attribute {
    case VAULT_PORT: asked.port = .equals(try Self.exactly(number))
    case VAULT_CREATOR: asked.creator = .equals(try Self.exactly(number))
    case VAULT_TYPE: asked.type = .equals(try Self.exactly(number))
    case VAULT_IS_INVISIBLE: asked.isInvisible = .equals(try Self.flag(number))
    case VAULT_IS_NEGATIVE: asked.isNegative = .equals(try Self.flag(number))
    case VAULT_EXPIRES:
      expires = number == 0 ? nil : Timestamp(milliseconds: try Self.exactly(number))
      asked.hasExpiry = .equals(number != 0)
    case VAULT_SECRET_KIND:
      asked.secretKind = .equals(SecretKind(rawValue: try Self.exactly(number)))
    default: throw VaultError(.invalidArgument, "an attribute that is no number that can be set")
    }
  }

  /// Names what a URL says of a server.
  mutating func name(_ url: URLReference) {
    asked.protocol = .equals(url.protocol)
    asked.server = .equals(url.host)
    if let port = url.port { asked.port = .equals(port) }
    if let user = url.user { asked.account = .equals(user) }
  }

  /// Names what is requested; only a query looks at it.
  mutating func name(_ requestPath: RequestPath) {
    asked.requestPath = requestPath
  }

  /// What was named of a request; nil if nothing was.
  var requestPath: RequestPath? { asked.requestPath }

  /// Names a custom attribute; an empty value is unset.
  mutating func name(custom name: String, _ value: String) {
    asked.custom[name] = .equals(value)
  }

  /// Names the secret.
  mutating func name(secret: Secret) {
    self.secret = secret
  }

  /// Names the refresh token; an empty one is unset.
  mutating func name(refreshToken: Secret) {
    self.refreshToken = refreshToken
  }

  /// What is looked for in the space that is named.
  ///
  /// - Throws: As ``query()`` and ``space()``.
  mutating func queryOfSpace() throws(VaultError) -> ItemQuery {
    if let askedOfSpace { return askedOfSpace }
    var query = try query()
    query.ask(for: try space())
    askedOfSpace = query
    return query
  }

  private static func exactly<T: FixedWidthInteger>(_ number: UInt64) throws(VaultError) -> T {
    guard let value = T(exactly: number) else {
      throw VaultError(.invalidArgument, "a number is out of the attribute's bounds")
    }
    return value
  }

  private static func flag(_ number: UInt64) throws(VaultError) -> Bool {
    guard number <= 1 else { throw VaultError(.invalidArgument, "a flag is neither 0 nor 1") }
    return number == 1
  }
}
