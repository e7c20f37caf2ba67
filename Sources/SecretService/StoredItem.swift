import CredentialVault
import SecureMemory
import VaultModel

/// An item of the vault, of either class, as the Secret Service sees it.
enum StoredItem: Sendable {
  case internet(InternetPassword)
  case generic(GenericPassword)

  var id: ItemID {
    switch self {
    case .internet(let item): item.id
    case .generic(let item): item.id
    }
  }

  var secret: Secret? {
    switch self {
    case .internet(let item): item.secret
    case .generic(let item): item.secret
    }
  }

  var persistence: Persistence {
    switch self {
    case .internet(let item): item.persistence
    case .generic(let item): item.persistence
    }
  }

  var created: Timestamp {
    switch self {
    case .internet(let item): item.created
    case .generic(let item): item.created
    }
  }

  var modified: Timestamp {
    switch self {
    case .internet(let item): item.modified
    case .generic(let item): item.modified
    }
  }

  var custom: [String: String] {
    get {
      switch self {
      case .internet(let item): item.custom
      case .generic(let item): item.custom
      }
    }
    set {
      switch self {
      case .internet(var item):
        item.custom = newValue
        self = .internet(item)
      case .generic(var item):
        item.custom = newValue
        self = .generic(item)
      }
    }
  }

  /// The name for people; a store fills an empty one, which no client gave.
  var label: String {
    switch self {
    case .internet(let item): item.label
    case .generic(let item): isOfAttributes && item.label == item.service ? "" : item.label
    }
  }

  /// Whether programs may see it: it protects a secret that can be given away.
  var isOffered: Bool {
    switch self {
    case .internet(let item): !item.isNegative && item.secretKind != .identity
    case .generic(let item): !item.isNegative && item.secretKind != .identity
    }
  }

  /// Whether its key is made of attributes that mean nothing to the vault.
  var isOfAttributes: Bool {
    if case .generic(let item) = self { item.service.hasPrefix(Self.prefix) } else { false }
  }

  /// The start of the service of such an item, before the name of its schema.
  static let prefix = "secret-service:"

  /// Returns the item with what a client gave beside the attributes.
  func with(label: String, secret: Secret) -> StoredItem {
    switch self {
    case .internet(var item):
      (item.label, item.secret) = (label, secret)
      return .internet(item)
    case .generic(var item):
      (item.label, item.secret) = (label, secret)
      return .generic(item)
    }
  }

  /// Returns an item of the same attributes whose key no other has.
  ///
  /// The protocol allows several items with the same attributes, a vault does not.
  func another(_ attributes: [String: String], in collection: String) -> StoredItem {
    var other = AttributeMapping.unmapped(attributes)
    if case .generic(let item) = other {
      var twin = GenericPassword(
        service: item.service, account: "\(item.account).\(ItemID())", secret: secret)
      (twin.custom, twin.origin, twin.label) = (item.custom, item.origin, label)
      other = .generic(twin)
    }
    for (name, value) in custom where name.hasPrefix(AttributeMapping.ownPrefix) {
      other.custom[name] = value
    }
    return other
  }
}
