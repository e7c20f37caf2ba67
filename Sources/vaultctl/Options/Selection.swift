import VaultModel

/// The items that a command line selects.
struct Selection {
  /// The query for everything that was named except the prefix of an id.
  private(set) var query = ItemQuery.everything
  /// The beginning of an id.
  private(set) var idPrefix: String?
  /// Whether nothing was named, so that every item matches.
  private(set) var isEmpty = true

  /// Reads selectors and the operand.
  ///
  /// - Parameters:
  ///   - arguments: The options and operands.
  ///   - readsMetadata: Whether label, comment and the like select; in commands where they change
  ///     an item they do not.
  ///   - isLiteral: Whether a URL's path is that of the item itself, and a slash alone means an
  ///     item without a path. Otherwise the path is that of a request, and the items are those that
  ///     networking code would get for it.
  /// - Throws: ``VaultError/Code/invalidArgument`` for values that mean nothing, and for two that
  ///   name the same part.
  init(
    _ arguments: Arguments, readsMetadata: Bool, isLiteral: Bool = false
  ) throws(VaultError) {
    try readKey(arguments)
    if readsMetadata { try readMetadata(arguments) }
    if let id = arguments.text(GeneralOption.id) { try read(id: id) }
    if let url = try arguments.parsed(.url, as: Reference.url) { try read(url, isLiteral) }
    switch try arguments.operands.first.map(Reference.init) {
    case .url(let url): try read(url, isLiteral)
    case .id(let id): try read(id: id)
    case nil: break
    }
  }

  /// The subject of a message about a lookup: the server or service if one was named.
  var subject: String {
    if query.itemClass == .genericPassword, case .equals(let service) = query.server {
      return ItemText.quoted(service.name)
    }
    return if case .equals(let host) = query.server, !host.isUnset { host.name } else { "this" }
  }

  private mutating func readKey(_ arguments: Arguments) throws(VaultError) {
    for attribute in Attribute.all where attribute.isOfKey {
      guard let text = arguments.text(attribute) else { continue }
      try narrow(to: attribute)
      switch attribute {
      case .port:
        // Port 0 is any port, as in the keychain; the empty text is the unset one.
        query.fallbacks.insert(.defaultPort)
        let port = try arguments.parsed(.attribute(.port), as: Values.port)
        if port == 0, !text.isEmpty {
          isEmpty = false
          continue
        }
      case .authenticationMethod: query.fallbacks.insert(.defaultMethod)
      default: break
      }
      try readValue(of: attribute, arguments)
    }
  }

  /// Narrows the query to the class of items that alone has an attribute of the key.
  private mutating func narrow(to attribute: Attribute) throws(VaultError) {
    guard attribute != .account else { return }
    let named: ItemClass = attribute == .service ? .genericPassword : .internetPassword
    guard query.itemClass == nil || query.itemClass == named else {
      throw VaultError(.invalidArgument, "a generic password has a service and an account alone")
    }
    query.itemClass = named
  }

  private mutating func readMetadata(_ arguments: Arguments) throws(VaultError) {
    for attribute in Attribute.all where !attribute.isOfKey && attribute != .custom {
      try readValue(of: attribute, arguments)
    }
    for (name, text) in try arguments.custom() {
      query.custom[name] = .equals(text)
      isEmpty = false
    }
  }

  private mutating func readValue(
    of attribute: Attribute, _ arguments: Arguments
  ) throws(VaultError) {
    guard let named = try arguments.change(.attribute(attribute), of: attribute) else { return }
    query[attribute] = named.value.map { .equals($0) } ?? .unset
    isEmpty = false
  }

  private mutating func read(_ url: URLReference, _ isLiteral: Bool) throws(VaultError) {
    try narrow(to: .server)
    try add(\.protocol, url.protocol)
    try add(\.server, url.host)
    // A URL without a port means the default one, which items may name or leave unset.
    try add(\.port, url.port ?? url.protocol.defaultPort ?? 0)
    query.fallbacks.insert(.defaultPort)
    if isLiteral || url.host.isUnset {
      if !url.path.isEmpty {
        try add(\.path, url.path)
      } else if url.requestPath == .root, case .any = query.path {
        // The path itself, and nothing below it.
        query.path = .unset
      }
    } else if case .any = query.path {
      query.requestPath = url.requestPath
    } else if !url.path.isEmpty {
      throw Self.namedTwice
    }
    if let user = url.user { try add(\.account, user) }
  }

  private mutating func read(id: String) throws(VaultError) {
    guard idPrefix == nil, query.id == nil else {
      throw VaultError(.invalidArgument, "more than one id")
    }
    guard Reference.isID(id) else {
      throw VaultError(.invalidArgument, "--id: an id has 6 to 26 letters and digits")
    }
    isEmpty = false
    if id.utf8.count == Reference.wholeID {
      query.id = try ItemID(text: id)
    } else {
      idPrefix = id
    }
  }

  private mutating func set<Value>(
    _ attribute: WritableKeyPath<ItemQuery, Match<Value>>, _ value: Value
  ) {
    query[keyPath: attribute] = .equals(value)
    isEmpty = false
  }

  private mutating func add<Value>(
    _ attribute: WritableKeyPath<ItemQuery, Match<Value>>, _ value: Value
  ) throws(VaultError) {
    guard case .any = query[keyPath: attribute] else { throw Self.namedTwice }
    set(attribute, value)
  }

  private static var namedTwice: VaultError {
    VaultError(.invalidArgument, "the URL and an option name the same part")
  }
}

/// The operand that names an item: a URL, or the prefix of an id.
enum Reference {
  case url(URLReference)
  case id(String)

  static let wholeID = 26
  private static let shortestID = 6

  /// Reads an operand.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is neither; it is not repeated, because it
  ///   may be a secret that was typed by mistake.
  init(_ text: String) throws(VaultError) {
    if text.contains("://") {
      self = .url(try Self.url(text))
    } else if Self.isID(text) {
      self = .id(text)
    } else {
      throw VaultError(.invalidArgument, Self.isNeither)
    }
  }

  static let isNeither = "the operand is neither a URL nor an id of 6 to 26 letters and digits"

  static func url(_ text: String) throws(VaultError) -> URLReference {
    let url = try URLReference(text)
    guard !url.hasPassword else {
      throw VaultError(
        .invalidArgument, "the URL holds a password: secrets are never read from arguments")
    }
    return url
  }

  /// Returns whether it has the form of an id or of the prefix of one, in Crockford's base 32.
  static func isID(_ text: String) -> Bool {
    (shortestID...wholeID).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte | 0x20 {
        case UInt8(ascii: "u"): false
        case UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
      }
  }
}
