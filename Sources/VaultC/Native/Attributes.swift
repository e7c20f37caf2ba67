import CVault
import SecureMemory
import VaultModel

/// Named attributes, each once, with a value.
///
/// They are stored as a query, which has a place for each value and for whether it is named at all,
/// together with the values that no query can ask for.
struct Attributes: Sendable {
  private(set) var asked = ItemQuery() {
    didSet { askedOfSpace = nil }
  }
  private(set) var expires: Timestamp?
  private(set) var secret: Secret?
  private(set) var refreshToken: Secret?
  /// The result of ``queryOfSpace()``, which is used repeatedly.
  private var askedOfSpace: ItemQuery?

  /// Names a text attribute.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a number or a read-only attribute, and for
  ///   an invalid text.
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

  /// Names a number attribute.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a text or a read-only attribute, and for an
  ///   invalid number.
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

  /// Names the server attributes in a URL.
  mutating func name(_ url: URLReference) {
    asked.protocol = .equals(url.protocol)
    asked.server = .equals(url.host)
    if let port = url.port { asked.port = .equals(port) }
    if let user = url.user { asked.account = .equals(user) }
  }

  /// Names the requested path; only a query uses it.
  mutating func name(_ requestPath: RequestPath) {
    asked.requestPath = requestPath
  }

  /// The requested path; nil if it is not named.
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

  /// Returns the query for the space that is named.
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
