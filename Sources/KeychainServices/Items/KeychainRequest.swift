import CredentialVault
import SecureMemory
import VaultModel

/// A dictionary that was read: what it selects, stores and asks for.
struct KeychainRequest {
  /// The use of a dictionary, which decides the keys that it may have.
  enum Use {
    case find, update, delete, add, changes
  }

  /// The number of items that a request concerns.
  enum Limit: Equatable {
    case one, all
    /// At most as many; the result is an array even of one.
    case count(Int)
  }

  private(set) var itemClass: ItemClass?
  /// The attributes, in any order.
  private(set) var attributes: [(attribute: Attribute, value: AttributeValue)] = []
  /// The attributes without a meaning here, by the names of their custom attributes.
  private(set) var kept: [(attribute: KeptAttribute, value: String?)] = []
  /// The keys of the texts, with whether they were given as data.
  private(set) var dataTexts: [String: Bool] = [:]
  private(set) var secret: Secret?
  /// The only items that the request may concern, in order; nil for any.
  private(set) var targets: [Target]?
  private(set) var returns: KeychainReturn = []
  private(set) var limit: Limit?
  private(set) var ignoresCase = false
  /// Whether a person is asked for each use of the item; nil without an access list.
  private(set) var asksEachTime: Bool?
  /// The host to which, or to a subdomain of which, items belong; nil for any.
  private(set) var domain: HostName?
  /// The vaults that the request names; nil for those of the user.
  private(set) var vaults: [Vault]?

  /// An item that a request names.
  struct Target {
    let itemClass: ItemClass
    let id: ItemID
    /// The reference in the process; nil for a persistent one.
    let reference: KeychainItemReference?
  }

  /// Reads a dictionary.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for an unknown key, or one that this use does
  ///   not have, and for a value of the wrong type; ``VaultError/Code/noSuchAttribute`` for an
  ///   attribute that the class lacks; ``VaultError/Code/noSuchClass``.
  init(_ dictionary: [String: KeychainValue], for use: Use) throws(VaultError) {
    for (key, value) in dictionary {
      try read(KeychainKey.named(key), value, for: use)
    }
    if let targets, use != .add, use != .changes { try restrict(to: targets) }
    guard itemClass != nil || targets != nil || use == .changes else {
      throw VaultError(.invalidArgument, "no class of items is named")
    }
    if let itemClass { try require(itemClass) }
  }

  private mutating func read(
    _ key: KeychainKey, _ value: KeychainValue, for use: Use
  ) throws(VaultError) {
    switch key.role {
    case .itemClass: itemClass = try Self.itemClass(value, key.key)
    case .attribute(.server):
      try readServer(value.text(key.key))
      if use == .add || use == .changes { keepType(of: value, .server, key.key) }
    case .attribute(let attribute):
      let given = value
      let value = try given.value(of: attribute, key.key)
      // The vault dates its items itself; returned attributes may be stored again.
      if attribute.isReadOnly, use == .add || use == .changes { return }
      attributes.append((attribute, value))
      if use == .add || use == .changes { keepType(of: given, attribute, key.key) }
    case .kept(let attribute):
      kept.append((attribute, try attribute.read(value, key.key, for: use)))
    case .data: try readSecret(value, key.key, for: use)
    case .reference, .persistentReference:
      try require(use, [.find, .update, .delete], key)
      try name([Self.target(value, key.key)])
    case .itemList:
      try require(use, [.find, .update, .delete], key)
      var listed: [Target] = []
      for value in try value.array(key.key) { listed.append(try Self.target(value, key.key)) }
      try name(listed)
    case .returned(let option):
      try require(use, [.find, .update, .delete, .add], key)
      if try value.flag(key.key) { returns.insert(option) }
    case .limit:
      try require(use, [.find, .update, .delete], key)
      limit = try Self.limit(value, key.key)
    case .caseInsensitive:
      try require(use, [.find, .update, .delete], key)
      ignoresCase = try value.flag(key.key)
    case .domain:
      try require(use, [.find, .update, .delete], key)
      domain = try HostName(value.text(key.key))
    case .vaults:
      try require(use, [.find, .update, .delete], key)
      try search(value.array(key.key), key.key)
    case .vault:
      try require(use, [.find, .update, .delete, .add], key)
      try search([value], key.key)
    case .access:
      guard case .access(let asksEachTime) = value else { throw value.invalid(key.key) }
      self.asksEachTime = asksEachTime
    case .ignored: return
    case .refused: throw VaultError(.invalidArgument, "\(key.key): \(key.note)")
    }
  }

  /// Reads a server's text, which is any: a vault has the host that it names, if it names one.
  private mutating func readServer(_ text: String) {
    var host = HostName.unset
    do throws(VaultError) {
      host = try HostName(text)
    } catch {
      // Networking code will never look for it.
    }
    attributes.append((.server, .text(host.name)))
    kept.append((.serverText, host.name.hasSameBytes(as: text) ? "" : text))
  }

  /// Reads the secret to store; in a query it is checked and is not a condition, as with Apple.
  private mutating func readSecret(
    _ value: KeychainValue, _ key: String, for use: Use
  ) throws(VaultError) {
    let secret = try value.secret(key)
    if use == .add || use == .changes { self.secret = secret }
  }

  /// Remembers that a text was given as data, in which type it is then returned, as by Apple.
  private mutating func keepType(
    of value: KeychainValue, _ attribute: Attribute, _ key: String
  ) {
    guard attribute.form == .text || attribute == .server else { return }
    if case .data = value { dataTexts[key] = true } else { dataTexts[key] = false }
  }

  private func require(
    _ use: Use, _ uses: [Use], _ key: KeychainKey
  ) throws(VaultError) {
    guard uses.contains(use) else {
      throw VaultError(.invalidArgument, "\(key.key): not a key of this dictionary")
    }
  }

  private mutating func name(_ targets: [Target]) throws(VaultError) {
    guard self.targets == nil else {
      throw VaultError(.invalidArgument, "the items are named twice")
    }
    self.targets = targets
  }

  private mutating func search(
    _ values: [KeychainValue], _ key: String
  ) throws(VaultError) {
    guard vaults == nil else { throw VaultError(.invalidArgument, "the vaults are named twice") }
    var named: [Vault] = []
    for value in values {
      guard case .vault(let vault) = value else { throw value.invalid(key) }
      named.append(vault)
    }
    vaults = named
  }

  /// Takes the class of the items that are named, if they have one in common.
  private mutating func restrict(to targets: [Target]) throws(VaultError) {
    let classes = Set(targets.map(\.itemClass))
    if let itemClass, !classes.isSubset(of: [itemClass]) {
      throw VaultError(.invalidArgument, "the items that are named have another class")
    }
    if itemClass == nil, classes.count == 1 { itemClass = classes.first }
  }

  private func require(_ itemClass: ItemClass) throws(VaultError) {
    if domain != nil, itemClass != .internetPassword {
      throw VaultError(.unsupported, "only internet passwords have a host")
    }
    for (attribute, _) in attributes where !attribute.isOf(itemClass) {
      throw VaultError(.noSuchAttribute, "\(attribute.name): not of this class of items")
    }
  }
}

extension KeychainRequest {
  private static func itemClass(
    _ value: KeychainValue, _ key: String
  ) throws(VaultError) -> ItemClass {
    guard case .text(let code) = value else { throw value.invalid(key) }
    guard let itemClass = ItemClass(keychainCode: code) else {
      throw VaultError(.noSuchClass, "vaults have passwords only")
    }
    return itemClass
  }

  private static func target(
    _ value: KeychainValue, _ key: String
  ) throws(VaultError) -> Target {
    switch value {
    case .item(let reference):
      return Target(itemClass: reference.itemClass, id: reference.id, reference: reference)
    case .data(let bytes):
      let persistent = try PersistentReference(bytes)
      return Target(itemClass: persistent.itemClass, id: persistent.id, reference: nil)
    default: throw value.invalid(key)
    }
  }

  private static func limit(_ value: KeychainValue, _ key: String) throws(VaultError) -> Limit {
    switch value {
    case .text("m_LimitOne"): return .one
    case .text("m_LimitAll"): return .all
    case .number(-1): return .all
    case .number(1): return .one
    case .number(let count):
      guard count >= 0 else { throw value.invalid(key) }
      return .count(Int(clamping: count))
    default: throw value.invalid(key)
    }
  }
}

extension KeptAttribute {
  /// Reads a value to keep; the standard value is kept as nothing, and nil is any in a query.
  fileprivate func read(
    _ value: KeychainValue, _ key: String, for use: KeychainRequest.Use
  ) throws(VaultError) -> String? {
    guard isFlag else { return try value.text(key) }
    // Apple's constant for any.
    if case .text("syna") = value {
      guard use != .add, use != .changes else { throw value.invalid(key) }
      return nil
    }
    return try value.flag(key) ? "1" : "0"
  }
}
