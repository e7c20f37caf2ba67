import VaultModel

/// One way to read what a command line names: conditions that items have to meet.
struct Reading: Sendable {
  private(set) var query = ItemQuery.everything
  /// The beginning of an id, which the query cannot have.
  private(set) var idPrefix: String?

  /// The error for a part that is named by a reference and by an option, or by two.
  static var namedTwice: VaultError {
    VaultError(.invalidArgument, "the URL and an option name the same part")
  }

  /// Whether an id, or the beginning of one, is named.
  var namesID: Bool { idPrefix != nil || query.id != nil }

  /// Returns whether the reading selects an item that its query found.
  func accepts(_ item: Item) -> Bool {
    idPrefix.map { item.id.hasPrefix($0) } ?? true
  }

  /// The subject of a message about a lookup.
  var subject: String { place ?? "this" }

  /// The server or service if one was named.
  var place: String? {
    guard case .equals(let server) = query.server else { return nil }
    if query.itemClass == .genericPassword { return ItemText.quoted(server.name) }
    return server.isUnset ? nil : server.name
  }

  // MARK: Conditions of options

  mutating func set(_ attribute: Attribute, _ value: Match<AttributeValue>) {
    query[attribute] = value
  }

  mutating func setCustom(_ name: String, _ text: String) {
    query.custom[name] = .equals(text)
  }

  mutating func allow(_ fallback: ItemQuery.Fallbacks) {
    query.fallbacks.insert(fallback)
  }

  /// Narrows the query to the class of items that alone has an attribute of the key.
  mutating func narrow(to attribute: Attribute) throws(VaultError) {
    guard attribute != .account else { return }
    let named: ItemClass = attribute == .service ? .genericPassword : .internetPassword
    guard query.itemClass == nil || query.itemClass == named else {
      throw VaultError(.invalidArgument, "a generic password has a service and an account alone")
    }
    query.itemClass = named
  }

  // MARK: Conditions of references

  /// Returns the reading as a whole id or the beginning of one; nil if one is named already.
  func withID(_ text: String) throws(VaultError) -> Reading? {
    guard !namesID else { return nil }
    var reading = self
    if text.utf8.count == Reference.wholeID {
      reading.query.id = try ItemID(text: text)
    } else {
      reading.idPrefix = text
    }
    return reading
  }

  /// Returns the reading as a URL.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if a part of it is named already.
  func at(_ url: URLReference, isLiteral: Bool) throws(VaultError) -> Reading {
    var reading = self
    try reading.narrow(to: .server)
    try reading.add(\.protocol, url.protocol)
    try reading.add(\.server, url.host)
    // A URL without a port means the default one, which items may name or leave unset.
    try reading.add(\.port, url.port ?? url.protocol.defaultPort ?? 0)
    reading.query.fallbacks.insert(.defaultPort)
    try reading.addPath(of: url, isLiteral)
    if let user = url.user { try reading.add(\.account, user) }
    return reading
  }

  /// Returns the reading as a host of any protocol; nil if a part of it is named already.
  func at(_ host: HostReference, isLiteral: Bool) -> Reading? {
    var reading = self
    do throws(VaultError) {
      try reading.narrow(to: .server)
      try reading.add(\.server, host.url.host)
      if let port = host.url.port { try reading.add(\.port, port) }
      try reading.addPath(of: host.url, isLiteral)
      if let user = host.user { try reading.add(\.account, user) }
    } catch {
      return nil
    }
    return reading
  }

  /// Returns the reading with a protocol, whose default port may be unset; nil if one is named.
  func of(_ networkProtocol: NetworkProtocol) -> Reading? {
    var reading = self
    reading.query.fallbacks.insert(.defaultPort)
    do throws(VaultError) {
      try reading.add(\.protocol, networkProtocol)
    } catch {
      return nil
    }
    return reading
  }

  /// Returns the reading as a service; nil if a server or service is named already.
  func ofService(_ name: String) -> Reading? {
    guard case .any = query.server, query.itemClass != .internetPassword else { return nil }
    var reading = self
    reading.query[.service] = .equals(.text(name))
    return reading
  }

  /// Returns the reading as a label; nil if one is named already.
  func labelled(_ label: String) -> Reading? {
    guard case .any = query.label else { return nil }
    var reading = self
    reading.query.label = .equals(label)
    return reading
  }

  private mutating func addPath(of url: URLReference, _ isLiteral: Bool) throws(VaultError) {
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
  }

  private mutating func add<Value>(
    _ attribute: WritableKeyPath<ItemQuery, Match<Value>>, _ value: Value
  ) throws(VaultError) {
    guard case .any = query[keyPath: attribute] else { throw Self.namedTwice }
    query[keyPath: attribute] = .equals(value)
  }
}
