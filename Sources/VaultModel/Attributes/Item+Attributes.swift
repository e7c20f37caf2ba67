extension Item {
  /// An attribute's value; nil if it is unset.
  ///
  /// Generic code reads and writes attributes by it. A value that is set has the attribute's form,
  /// and is canonical if the form is. Identity and revision have no value here, and an attribute of
  /// another class of items is unset and stays so.
  package subscript(_ attribute: Attribute) -> AttributeValue? {
    get {
      let value = value(attribute)
      // An empty secret is still a secret.
      return value?.isUnset == true && attribute != .secret ? nil : value
    }
    set {
      switch attribute {
      case .server where key.itemClass == .internetPassword: server.set(newValue)
      case .service where key.itemClass == .genericPassword: service.set(newValue)
      case .server, .service: break
      case .account: account.set(newValue)
      case .protocol: self.protocol.set(newValue)
      case .port: port.set(newValue)
      case .realm: realm.set(newValue)
      case .path: path.set(newValue)
      case .authenticationMethod: authenticationMethod.set(newValue)
      case .label: label.set(newValue)
      case .secretKind: secretKind.set(newValue)
      case .isInvisible: isInvisible.set(newValue)
      case .isNegative: isNegative.set(newValue)
      case .created: if case .time(let time) = newValue { created = time }
      case .modified: if case .time(let time) = newValue { modified = time }
      case .secret:
        if case .secret(let new) = newValue { storedSecret = new } else { storedSecret = nil }
      case .id, .revision: break
      default: extended[attribute] = newValue
      }
    }
  }

  private func value(_ attribute: Attribute) -> AttributeValue? {
    switch attribute {
    case .server: key.itemClass == .internetPassword ? server.attributeValue : nil
    case .service: key.itemClass == .genericPassword ? .text(service) : nil
    case .account: account.attributeValue
    case .protocol: self.protocol.attributeValue
    case .port: port.attributeValue
    case .realm: realm.attributeValue
    case .path: path.attributeValue
    case .authenticationMethod: authenticationMethod.attributeValue
    case .label: label.attributeValue
    case .secretKind: secretKind.attributeValue
    case .isInvisible: isInvisible.attributeValue
    case .isNegative: isNegative.attributeValue
    case .created: .time(created)
    case .modified: .time(modified)
    case .secretChanged: .time(secretChanged)
    case .secret: storedSecret.map { .secret($0) }
    case .id, .revision: nil
    case .refreshToken, .oneTimePasswordKey: self[secret: attribute].map { .secret($0) }
    default: extended[attribute]
    }
  }
}

extension Item {
  /// Returns whether an attribute has the same value in another item, or is unset in both.
  package func hasSame(_ attribute: Attribute, as other: Item) -> Bool {
    switch (self[attribute], other[attribute]) {
    case (nil, nil): true
    case (let mine?, let theirs?): mine.isSame(as: theirs)
    default: false
    }
  }
}

extension AttributeType {
  fileprivate mutating func set(_ value: AttributeValue?) {
    self = value.flatMap { (value: AttributeValue) in Self(value) } ?? .unset
  }
}
