import CVault
import KeychainServices
import VaultModel

/// The query for a list of attributes, all of which must match.
struct KeychainQuery {
  private(set) var query = ItemQuery()
  /// The conditions that a query cannot express, compared after the lookup.
  private var remaining: [(tag: KeychainTag, value: [UInt8])] = []

  /// Adds a condition for each attribute; a value of length 0 asks for unset.
  ///
  /// - Throws: ``VaultError/Code/invalidQuery`` for a duplicate tag;
  ///   ``VaultError/Code/invalidValue`` and ``VaultError/Code/invalidArgument`` for a value that no
  ///   item can have.
  init(_ attributes: [KeychainAttribute], of itemClass: ItemClass) throws(VaultError) {
    query.itemClass = itemClass
    query.hasPassword = true
    var seen: Set<KeychainTag> = []
    for attribute in attributes {
      guard seen.insert(attribute.tag).inserted else {
        throw VaultError(.invalidQuery, "an attribute is named twice")
      }
      try name(attribute)
    }
  }

  /// Returns whether an item that the query found also matches the remaining conditions.
  func accepts(_ item: Item) -> Bool {
    remaining.allSatisfy { item.keychainValue($0.tag) == $0.value }
  }

  private mutating func name(_ attribute: KeychainAttribute) throws(VaultError) {
    guard case .attribute(let named) = attribute.tag else {
      remaining.append((attribute.tag, try attribute.stored()))
      return
    }
    guard named.isReadOnly else {
      query[named] = .equals(try attribute.value(of: named))
      return
    }
    // Dates are compared as they are written, to the second.
    guard [0, 16].contains(try attribute.stored().count) else {
      throw VaultError(.invalidValue, "a date is not of 16 bytes")
    }
    remaining.append((attribute.tag, try attribute.stored()))
  }
}

extension ItemQuery {
  /// Asks for each part of a key that is set, and for any value of the others.
  init(wildcards key: Item.Key) {
    self.init()
    itemClass = key.itemClass
    // Apple's keychains have keys and decisions about servers in classes of their own.
    hasPassword = true
    if !key.account.isEmpty { account = .equals(key.account) }
    if !key.realm.isEmpty { realm = .equals(key.realm) }
    if !key.server.isUnset { server = .equals(key.server) }
    if key.protocol != .unset { `protocol` = .equals(key.protocol) }
    if key.authenticationMethod != .unset {
      authenticationMethod = .equals(key.authenticationMethod)
    }
    if key.port != 0 { port = .equals(key.port) }
    if !key.path.isEmpty { path = .equals(key.path) }
  }
}

extension Item.Key {
  /// Creates the key from the parameters of finding and adding; empty and 0 are unset.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the server is not a host: it is made
  ///   canonical here as everywhere.
  init(
    server: String, domain: String, account: String, path: String, port: UInt16,
    protocol: VaultProtocolType, authenticationType: VaultAuthenticationType
  ) throws(VaultError) {
    self.init(
      account: account, realm: domain, server: try HostName(server),
      protocol: NetworkProtocol(keychainCode: `protocol`),
      authenticationMethod: AuthenticationMethod(keychainType: authenticationType), port: port,
      path: path)
  }
}

extension Input {
  /// Copies a text; NULL gives an empty one, with any length.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if no item can have it: NUL, or anything but
  ///   UTF-8.
  static func optionalText(
    _ bytes: UnsafePointer<CChar>?, _ length: UInt32
  ) throws(VaultError) -> String {
    guard unsafe bytes != nil else { return "" }
    // The caller says that it is so long.
    return try unsafe text(bytes, Int(length))
  }
}
