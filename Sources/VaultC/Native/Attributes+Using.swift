import SecureMemory
import VaultModel

/// The uses of attributes.
extension Attributes {
  /// Returns the attributes as changes.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if an identity is named, which never changes.
  func changes() throws(VaultError) -> [ItemChange] {
    guard asked.id == nil else {
      throw VaultError(.invalidArgument, "an item's identity is chosen by the vault")
    }
    return named
  }

  /// Returns a new item with these attributes.
  ///
  /// - Throws: As ``changes()``.
  func item() throws(VaultError) -> InternetPassword {
    let changes = try changes()
    var item = InternetPassword()
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

  /// Whether an attribute is named that a query can ask for.
  var isQuery: Bool {
    asked.id != nil
      || named.contains { change in
        switch change {
        case .secret, .refreshToken: false
        default: true
        }
      }
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
    if let value = asked.account.value { changes.append(.account(value)) }
    if let value = asked.realm.value { changes.append(.realm(value)) }
    if let value = asked.server.value { changes.append(.server(value)) }
    if let value = asked.protocol.value { changes.append(.protocol(value)) }
    if let value = asked.authenticationMethod.value { changes.append(.authenticationMethod(value)) }
    if let value = asked.port.value { changes.append(.port(value)) }
    if let value = asked.path.value { changes.append(.path(value)) }
    if let value = asked.label.value { changes.append(.label(value)) }
    if let value = asked.comment.value { changes.append(.comment(value)) }
    if let value = asked.kind.value { changes.append(.kind(value)) }
    if let value = asked.origin.value { changes.append(.origin(value)) }
    if let value = asked.accountDomain.value { changes.append(.accountDomain(value)) }
    if let value = asked.creator.value { changes.append(.creator(value)) }
    if let value = asked.type.value { changes.append(.type(value)) }
    if let value = asked.isInvisible.value { changes.append(.isInvisible(value)) }
    if let value = asked.isNegative.value { changes.append(.isNegative(value)) }
    if asked.hasExpiry.value != nil { changes.append(.expires(expires)) }
    if let value = asked.secretKind.value { changes.append(.secretKind(value)) }
    for (name, match) in asked.custom {
      let value = match.value ?? ""
      changes.append(.custom(name, value.isEmpty ? nil : value))
    }
    if let secret { changes.append(.secret(secret)) }
    if let refreshToken {
      changes.append(.refreshToken(refreshToken.count == 0 ? nil : refreshToken))
    }
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
  }
}

extension Match {
  fileprivate var value: Value? {
    if case .equals(let value) = self { value } else { nil }
  }
}
