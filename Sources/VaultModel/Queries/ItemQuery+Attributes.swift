/// The conditions on attributes beside the key and the label, which few queries have.
struct AttributeMatches: Sendable {
  private typealias Element = (attribute: Attribute, match: Match<AttributeValue>)

  // Both are nil and never empty.
  private var elements: [Element]?
  private var customElements: [String: Match<String>]?

  /// The conditions on custom attributes, by their names.
  var custom: [String: Match<String>] {
    get { customElements ?? [:] }
    set { customElements = newValue.isEmpty ? nil : newValue }
  }

  subscript(_ attribute: Attribute) -> Match<AttributeValue> {
    get { elements?.first { $0.attribute == attribute }?.match ?? .any }
    set {
      var others = elements?.filter { $0.attribute != attribute } ?? []
      if newValue.isNamed { others.append((attribute, newValue)) }
      elements = others.isEmpty ? nil : others
    }
  }

  subscript<Value: AttributeType>(_ attribute: Attribute) -> Match<Value> {
    get { self[attribute].map { Value($0) ?? .unset } }
    set { self[attribute] = newValue.map(\.attributeValue) }
  }

  func accept(_ item: Item) -> Bool {
    if let elements {
      for element in elements where !Self.accepts(element, item) { return false }
    }
    guard let customElements else { return true }
    let texts = item.custom
    return customElements.allSatisfy { name, match in match.accepts(texts[name] ?? "") }
  }

  private static func accepts(_ element: Element, _ item: Item) -> Bool {
    let value: AttributeValue? =
      switch element.attribute {
      // A time matches by whether it is set.
      case .expires: item.expires.map { _ in .flag(true) }
      // So does a secret.
      case .refreshToken: item.hasRefreshToken ? .flag(true) : nil
      case .oneTimePasswordKey: item.hasOneTimePasswordKey ? .flag(true) : nil
      case .isInvisible, .isNegative, .secretKind: item[element.attribute]
      default: item.extended[element.attribute]
      }
    return switch element.match {
    case .any: true
    case .unset: value == nil
    case .equals(let wanted):
      wanted.isUnset ? value == nil : value?.isSame(as: wanted) ?? false
    }
  }
}

extension ItemQuery {
  /// The condition on the service of a generic password.
  ///
  /// Setting it makes it a query for generic passwords.
  public var service: Match<String> {
    get { itemClass == .genericPassword ? server.map(\.name) : .any }
    set {
      server = newValue.map { HostName(canonical: $0) }
      itemClass = .genericPassword
    }
  }

  /// The condition on whether the item is invisible.
  public var isInvisible: Match<Bool> {
    get { others[.isInvisible] }
    set { others[.isInvisible] = newValue }
  }

  /// The condition on whether the item is negative.
  public var isNegative: Match<Bool> {
    get { others[.isNegative] }
    set { others[.isNegative] = newValue }
  }

  /// The condition on the comment.
  public var comment: Match<String> {
    get { others[.comment] }
    set { others[.comment] = newValue }
  }

  /// The condition on the kind.
  public var kind: Match<String> {
    get { others[.kind] }
    set { others[.kind] = newValue }
  }

  /// The condition on the origin.
  public var origin: Match<String> {
    get { others[.origin] }
    set { others[.origin] = newValue }
  }

  /// The condition on NTLM's account domain.
  public var accountDomain: Match<String> {
    get { others[.accountDomain] }
    set { others[.accountDomain] = newValue }
  }

  /// The condition on the creator's four-character code.
  public var creator: Match<UInt32> {
    get { others[.creator] }
    set { others[.creator] = newValue }
  }

  /// The condition on the type's four-character code.
  public var type: Match<UInt32> {
    get { others[.type] }
    set { others[.type] = newValue }
  }

  /// The condition on a generic password's data for its program's own use.
  public var generic: Match<[UInt8]> {
    get { others[.generic] }
    set { others[.generic] = newValue }
  }

  /// The condition on the kind of the secret; a secret is a password unless the item says
  /// otherwise.
  public var secretKind: Match<SecretKind> {
    get { others[.secretKind] }
    set { others[.secretKind] = newValue }
  }

  /// The condition on whether the item has an expiry of its own.
  public var hasExpiry: Match<Bool> {
    get { others[.expires] }
    set { others[.expires] = newValue }
  }

  /// The condition on whether the item has a refresh token.
  public var hasRefreshToken: Match<Bool> {
    get { others[.refreshToken] }
    set { others[.refreshToken] = newValue }
  }

  /// The condition on whether the item has a key of one-time passwords.
  public var hasOneTimePasswordKey: Match<Bool> {
    get { others[.oneTimePasswordKey] }
    set { others[.oneTimePasswordKey] = newValue }
  }

  /// The conditions on custom attributes, by their names; those not named match any value.
  public var custom: [String: Match<String>] {
    get { others.custom }
    set { others.custom = newValue }
  }
}

extension ItemQuery {
  /// The condition on any attribute, for generic code; those on ``Attribute/expires`` and
  /// on a further secret are whether they are set.
  ///
  /// The identity and custom attributes have properties of their own, and the secret has no
  /// condition. One on the service makes it a query for generic passwords.
  package subscript(_ attribute: Attribute) -> Match<AttributeValue> {
    get {
      switch attribute {
      case .server: itemClass == .genericPassword ? .any : server.map(\.attributeValue)
      case .service: service.map(\.attributeValue)
      case .account: account.map(\.attributeValue)
      case .protocol: self.protocol.map(\.attributeValue)
      case .port: port.map(\.attributeValue)
      case .realm: realm.map(\.attributeValue)
      case .path: path.map(\.attributeValue)
      case .authenticationMethod: authenticationMethod.map(\.attributeValue)
      case .label: label.map(\.attributeValue)
      default: others[attribute]
      }
    }
    set {
      switch attribute {
      case .server: server = newValue.typed()
      case .service: service = newValue.typed()
      case .account: account = newValue.typed()
      case .protocol: self.protocol = newValue.typed()
      case .port: port = newValue.typed()
      case .realm: realm = newValue.typed()
      case .path: path = newValue.typed()
      case .authenticationMethod: authenticationMethod = newValue.typed()
      case .label: label = newValue.typed()
      default: others[attribute] = newValue
      }
    }
  }
}

extension Match {
  func map<Other>(_ transform: (Value) -> Other) -> Match<Other> {
    switch self {
    case .any: .any
    case .unset: .unset
    case .equals(let value): .equals(transform(value))
    }
  }
}

extension Match<AttributeValue> {
  fileprivate func typed<Other: AttributeType>() -> Match<Other> { map { Other($0) ?? .unset } }
}
