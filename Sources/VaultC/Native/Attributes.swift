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
  /// The class of items that is named, by itself or by an attribute that only it has; nil as long
  /// as the attributes are those of any class.
  private(set) var itemClass: ItemClass?
  private(set) var expires: Timestamp?
  private(set) var secret: Secret?
  private(set) var refreshToken: Secret?
  /// The result of ``queryOfSpace()``, which is used repeatedly.
  private var askedOfSpace: ItemQuery?

  /// Sets a text attribute.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the attribute is a number or read-only, the
  ///   text is not valid for it, or it is not of the items' class.
  mutating func name(_ constant: vault_attribute_t, text: String) throws(VaultError) {
    guard let attribute = Attribute(constant) else { throw Self.isNoText }
    switch attribute.form {
    case .text: try name(attribute, .text(text))
    case .host: try name(attribute, .text(try HostName(text).name))
    case .networkProtocol: try name(attribute, .text(try NetworkProtocol(text).rawValue))
    case .method: try name(attribute, .text(try AuthenticationMethod(text).rawValue))
    case .id: asked.id = try ItemID(text: text)
    case .port, .code, .flag, .secretKind, .data, .time, .moment, .revision, .secret, .custom:
      throw Self.isNoText
    }
  }

  /// Sets a number attribute.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the attribute is text or read-only, the
  ///   number is not valid for it, or it is not of the items' class.
  mutating func name(_ constant: vault_attribute_t, number: UInt64) throws(VaultError) {
    if constant == VAULT_CLASS { return try name(ItemClass(number)) }
    guard let attribute = Attribute(constant), !attribute.isReadOnly else { throw Self.isNoNumber }
    switch attribute.form {
    case .port: try name(attribute, .number(UInt32(try Self.exactly(number) as UInt16)))
    case .code: try name(attribute, .number(try Self.exactly(number)))
    case .secretKind: try name(attribute, .number(UInt32(try Self.exactly(number) as UInt8)))
    case .flag: try name(attribute, .flag(try Self.flag(number)))
    case .time:
      expires = number == 0 ? nil : Timestamp(milliseconds: try Self.exactly(number))
      asked.hasExpiry = .equals(number != 0)
    case .text, .host, .networkProtocol, .method, .data, .id, .moment, .revision, .secret,
      .custom:
      throw Self.isNoNumber
    }
  }

  /// Sets a data attribute.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the attribute is not data, or not of the
  ///   items' class.
  mutating func name(_ constant: vault_attribute_t, data: [UInt8]) throws(VaultError) {
    guard let attribute = Attribute(constant), attribute.form == .data else {
      throw VaultError(.invalidArgument, "an attribute that is no data")
    }
    try name(attribute, .data(data))
  }

  private mutating func name(
    _ attribute: Attribute, _ value: AttributeValue
  ) throws(VaultError) {
    try admit(attribute)
    asked[attribute] = .equals(value)
  }

  /// Names the class of the items, which an attribute that only one class has does as well.
  private mutating func name(_ named: ItemClass) throws(VaultError) {
    guard itemClass == nil || itemClass == named else {
      throw VaultError(.invalidArgument, "attributes of two classes of items")
    }
    itemClass = named
    if asked.itemClass != named { asked.itemClass = named }
  }

  private mutating func admit(_ attribute: Attribute) throws(VaultError) {
    let isOfGeneric = attribute.isOf(.genericPassword)
    guard !isOfGeneric || !attribute.isOf(.internetPassword) else { return }
    try name(isOfGeneric ? .genericPassword : .internetPassword)
  }

  private static var isNoText: VaultError {
    VaultError(.invalidArgument, "an attribute that is no text that can be set")
  }

  private static var isNoNumber: VaultError {
    VaultError(.invalidArgument, "an attribute that is no number that can be set")
  }

  /// Names the server attributes in a URL.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for generic passwords.
  mutating func name(_ url: URLReference) throws(VaultError) {
    try admit(.server)
    asked.protocol = .equals(url.protocol)
    asked.server = .equals(url.host)
    if let port = url.port { asked.port = .equals(port) }
    if let user = url.user { asked.account = .equals(user) }
  }

  /// Names the requested path; only a query uses it.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for generic passwords.
  mutating func name(_ requestPath: RequestPath) throws(VaultError) {
    try admit(.path)
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

extension ItemClass {
  /// Reads a `vault_class_t`.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument``.
  fileprivate init(_ number: UInt64) throws(VaultError) {
    guard let raw = UInt8(exactly: number), let known = ItemClass(rawValue: raw) else {
      throw VaultError(.invalidArgument, "a class of items that does not exist")
    }
    self = known
  }
}

extension Attribute {
  /// Creates the attribute of a constant in `vault.h`; nil for one that is not an item's own.
  init?(_ constant: vault_attribute_t) {
    let index = Int(constant.rawValue)
    guard Self.byConstant.indices.contains(index), let attribute = Self.byConstant[index] else {
      return nil
    }
    self = attribute
  }

  private static let byConstant: [Attribute?] = {
    let last = all.compactMap(\.constant).max() ?? 0
    var attributes = [Attribute?](repeating: nil, count: Int(last) + 1)
    for attribute in all {
      if let constant = attribute.constant { attributes[Int(constant)] = attribute }
    }
    return attributes
  }()
}
