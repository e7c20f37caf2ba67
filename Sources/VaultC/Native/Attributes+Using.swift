import SecureMemory
import VaultModel

/// The uses of attributes.
extension Attributes {
  /// Returns the attributes as changes of an item of a class.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if an identity or the other class is named,
  ///   which never change.
  func changes(of itemClass: ItemClass) throws(VaultError) -> [ItemChange] {
    guard asked.id == nil else {
      throw VaultError(.invalidArgument, "an item's identity is chosen by the vault")
    }
    guard self.itemClass == nil || self.itemClass == itemClass else {
      throw VaultError(.invalidArgument, "attributes of another class of items")
    }
    return named
  }

  /// Returns a new item with these attributes.
  ///
  /// - Throws: As ``changes(of:)``.
  func item() throws(VaultError) -> Item {
    let itemClass = itemClass ?? .internetPassword
    let changes = try changes(of: itemClass)
    var item =
      switch itemClass {
      case .internetPassword: Item()
      case .genericPassword: Item(service: "")
      }
    _ = item.apply(changes)
    return item
  }

  /// Returns the attributes as a query; secrets are ignored.
  ///
  /// - Throws: ``VaultError/Code/unsupported`` for a time of expiry.
  func query() throws(VaultError) -> ItemQuery {
    guard expires == nil else {
      throw VaultError(.unsupported, "a query for a time of expiry")
    }
    return asked
  }

  /// Whether an attribute beside the class is named that a query can ask for.
  var isQuery: Bool {
    asked.id != nil || named.contains { $0.attribute != .secret && $0.attribute != .refreshToken }
  }

  /// Returns the protection space that is named.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` without a server or a protocol.
  func space() throws(VaultError) -> ProtectionSpace {
    guard let host = asked.server.value, let scheme = asked.protocol.value else {
      throw VaultError(.invalidArgument, "a protection space has a server and a protocol")
    }
    return try ProtectionSpace(
      host: host, port: asked.port.value ?? 0, protocol: scheme, realm: asked.realm.value ?? "",
      authenticationMethod: asked.authenticationMethod.value ?? .default)
  }

  private var named: [ItemChange] {
    var changes: [ItemChange] = []
    for attribute in Attribute.all {
      guard let value = asked[attribute].value else { continue }
      changes.append(attribute == .expires ? .expires(expires) : ItemChange(attribute, value))
    }
    for (name, match) in asked.custom {
      let value = match.value ?? ""
      changes.append(.custom(name, value.isEmpty ? nil : value))
    }
    if let secret { changes.append(.secret(secret)) }
    if let refreshToken { changes.append(.refreshToken(refreshToken)) }
    return changes
  }
}

extension ItemQuery {
  /// Replaces the five attributes of a space by the conditions for its items.
  mutating func ask(for space: ProtectionSpace) {
    let asked = ItemQuery(space)
    server = asked.server
    `protocol` = asked.protocol
    realm = asked.realm
    port = asked.port
    authenticationMethod = asked.authenticationMethod
    fallbacks = asked.fallbacks
    hasPassword = asked.hasPassword
  }
}

extension Match {
  fileprivate var value: Value? {
    if case .equals(let value) = self { value } else { nil }
  }
}
