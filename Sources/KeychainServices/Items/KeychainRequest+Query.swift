import CredentialVault
import VaultModel

extension KeychainRequest {
  /// The conditions of a request that a vault can look up, and the others.
  struct Selection {
    var query = ItemQuery.everything
    /// The conditions that a query cannot express; nil if there are none.
    var accepts: ((Item) -> Bool)?
    /// Whether synchronizable items do not match: hardly any is, and in the query the condition
    /// costs more than all others.
    var excludesSynchronizable = false

    /// The query with the condition on synchronizable items.
    var completeQuery: ItemQuery {
      guard excludesSynchronizable else { return query }
      var query = query
      query.custom[KeptAttribute.synchronizable.custom] = .unset
      return query
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
      if let value { selection.query.custom[attribute.custom] = attribute.condition(value) }
    }
    // As Apple has it, a query that does not name the flag means items without it.
    let synchronizable = KeptAttribute.synchronizable
    selection.excludesSynchronizable =
      targets == nil && !kept.contains { $0.attribute.custom == synchronizable.custom }
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
    item.secret = secret
    return item
  }

  /// The changes of items.
  var changes: [ItemChange] {
    var changes = attributes.map { ItemChange($0.attribute, $0.value) }
    changes += kept.map { .custom($0.attribute.custom, $0.attribute.stored($0.value)) }
    changes += dataTexts.map { .custom(KeychainKey.dataMark($0), $1 ? "1" : nil) }
    if let secret { changes.append(.secret(secret)) }
    return changes
  }
}

extension Item {
  /// Whether the item was stored with the flag.
  var isSynchronizable: Bool {
    !extended.isEmpty && custom[KeptAttribute.synchronizable.custom] != nil
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
}

extension KeptAttribute {
  /// Returns the custom attribute's value for a value of the key; nil for the standard one.
  func stored(_ value: String?) -> String? { value == standard ? nil : value }

  func condition(_ value: String) -> Match<String> {
    stored(value).map { .equals($0) } ?? .unset
  }

  /// Returns the value of an item as dictionaries have it; nil if it is unset.
  func keychainValue(of item: Item) -> KeychainValue? {
    guard let value = item.custom[custom] ?? standard else { return nil }
    return isFlag ? .number(value == "1" ? 1 : 0) : .text(value)
  }
}
