import CredentialVault
import VaultModel

extension KeychainRequest {
  /// The conditions of a request that a vault can look up, and the others.
  struct Selection {
    var query = ItemQuery.everything
    /// The conditions that a query cannot express; nil if there are none.
    var accepts: ((Item) -> Bool)?
    /// The names of the key's custom attributes that no match has: hardly any item has one, and in
    /// the query the conditions cost more than all others.
    var unsetNames: [String] = []

    /// The query with the conditions on all custom attributes.
    var completeQuery: ItemQuery {
      guard !unsetNames.isEmpty else { return query }
      var query = query
      for name in unsetNames { query.custom[name] = .unset }
      return query
    }

    /// Returns whether an item that matches the query has one of the custom attributes that no
    /// match has.
    func excludes(_ item: Item) -> Bool {
      item.isVariant && unsetNames.contains { item.custom[$0] != nil }
    }
  }

  /// Returns the conditions on items.
  func selection() -> Selection {
    var selection = Selection()
    selection.query.itemClass = itemClass
    // Apple's keychains have keys and decisions about servers in classes of their own.
    selection.query.hasPassword = true
    for (attribute, value) in attributes { selection.require(attribute, value, ignoresCase) }
    for (attribute, value) in kept {
      if let value { selection.require(attribute, value, ignoresCase) }
    }
    if let domain {
      selection.add { $0.server == domain || $0.server.isSubdomain(of: domain) }
      if case .any = selection.query.server {
        selection.query.server = .equals(domain)
        selection.query.includesSubdomains = true
      }
    }
    // As Apple has it, a query that does not name the flag means items without it.
    let synchronizable = KeptAttribute.synchronizable.custom
    if targets == nil, !kept.contains(where: { $0.attribute.custom == synchronizable }) {
      selection.unsetNames.append(synchronizable)
    }
    if let targets {
      let ids = Set(targets.map(\.id))
      selection.add { ids.contains($0.id) }
    }
    return selection
  }

  /// Returns the item to add.
  func item() throws(VaultError) -> Item {
    var item =
      switch itemClass {
      case .genericPassword: Item(service: "")
      case .internetPassword, nil: Item(authenticationMethod: .unset)
      }
    for (attribute, value) in attributes { item[attribute] = value }
    for (attribute, value) in kept { item.custom[attribute.custom] = attribute.stored(value) }
    for (key, isData) in dataTexts where isData { item.custom[KeychainKey.dataMark(key)] = "1" }
    if secret == nil { item.custom[KeychainKey.noSecretMark] = "1" }
    if asksEachTime == true { item.asksEachTime = true }
    item.secret = secret
    if item.label.isEmpty, item.server.isUnset {
      item.label = item.custom[KeptAttribute.serverText.custom] ?? ""
    }
    return item
  }

  /// The changes of items.
  var changes: [ItemChange] {
    var changes = attributes.map { ItemChange($0.attribute, $0.value) }
    changes += kept.map { .custom($0.attribute.custom, $0.attribute.stored($0.value)) }
    changes += dataTexts.map { .custom(KeychainKey.dataMark($0), $1 ? "1" : nil) }
    if let secret { changes += [.secret(secret), .custom(KeychainKey.noSecretMark, nil)] }
    if let asksEachTime {
      changes.append(.custom(KeychainKey.attendedMark, asksEachTime ? "1" : nil))
    }
    return changes
  }
}

extension KeychainRequest.Selection {
  fileprivate mutating func add(_ condition: @escaping (Item) -> Bool) {
    guard let known = accepts else {
      accepts = condition
      return
    }
    accepts = { known($0) && condition($0) }
  }

  fileprivate mutating func require(
    _ attribute: KeptAttribute, _ value: String, _ ignoresCase: Bool
  ) {
    let name = attribute.custom
    if ignoresCase, name == KeptAttribute.serverText.custom {
      // Hosts are compared without regard to case as they are.
      let folded = value.lowercased()
      return add { !$0.server.isUnset || ($0.custom[name] ?? "").lowercased() == folded }
    }
    if let stored = attribute.stored(value) {
      query.custom[name] = .equals(stored)
    } else if name.hasPrefix(Item.Key.variantPrefix) {
      unsetNames.append(name)
    } else {
      query.custom[name] = .unset
    }
  }

  fileprivate mutating func require(
    _ attribute: Attribute, _ value: AttributeValue, _ ignoresCase: Bool
  ) {
    if ignoresCase, attribute.form == .text, case .text(let wanted) = value {
      let folded = wanted.lowercased()
      add { item in
        guard case .text(let text) = item[attribute] ?? .text("") else { return false }
        return text.lowercased() == folded
      }
    } else if attribute.isReadOnly {
      // A date, which a query cannot name.
      add { $0[attribute]?.isSame(as: value) ?? false }
    } else {
      query[attribute] = .equals(value)
    }
  }
}

extension KeychainKey {
  /// Returns the name of the custom attribute that says that a key's text was given as data.
  static func dataMark(_ key: String) -> String { "keychain-data-" + key }

  /// The name of the custom attribute that says that an item was added without a secret.
  package static let noSecretMark = "keychain-no-secret"
}

extension KeptAttribute {
  /// Returns the custom attribute's value for a value of the key; nil for the standard and the
  /// empty one.
  func stored(_ value: String?) -> String? {
    value == standard || value?.isEmpty == true ? nil : value
  }

  /// Returns the value of an item as dictionaries have it; nil if it is unset.
  func keychainValue(of item: Item) -> KeychainValue? {
    guard let value = item.custom[custom] ?? standard else { return nil }
    return isFlag ? .number(value == "1" ? 1 : 0) : .text(value)
  }
}
