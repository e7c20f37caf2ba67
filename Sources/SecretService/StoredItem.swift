import CredentialVault
import Interchange
import SecureMemory
import VaultModel

/// An item of the vault, of either class, as the Secret Service sees it.
enum StoredItem: Sendable {
  case internet(InternetPassword)
  case generic(GenericPassword)

  init(_ item: InternetPassword) {
    switch item.key.itemClass {
    case .internetPassword: self = .internet(item)
    case .genericPassword: self = .generic(GenericPassword(item))
    }
  }

  /// The form that both classes have in common.
  private(set) var base: InternetPassword {
    get {
      switch self {
      case .internet(let item): item
      case .generic(let item): item.item
      }
    }
    set {
      switch self {
      case .internet: self = .internet(newValue)
      case .generic: self = .generic(GenericPassword(newValue))
      }
    }
  }

  var id: ItemID { base.id }
  var secret: Secret? { base.secret }
  var persistence: Persistence { base.persistence }
  /// The generation that last wrote it.
  var revision: UInt64 { base.revision }
  var created: Timestamp { base.created }
  var modified: Timestamp { base.modified }
  var isExpired: Bool { base.isExpired(at: .now()) }

  var custom: [String: String] {
    get { base.custom }
    set { base.custom = newValue }
  }

  /// The name for people; a store fills an empty one, which no client gave.
  var label: String { isOfAttributes && base.label == base.key.service ? "" : base.label }

  /// Whether programs may see it: it protects a secret that can be given away, and is not one that
  /// the service keeps for itself.
  var isOffered: Bool {
    if case .generic(let item) = self, Self.reserved.contains(item.service) { return false }
    return !base.isNegative && !base.needsPIN && base.secretKind != .identity
  }

  /// Whether its key is made of attributes that mean nothing to the vault.
  var isOfAttributes: Bool {
    if case .generic(let item) = self { item.service.hasPrefix(Self.prefix) } else { false }
  }

  /// The start of the service of such an item, before the name of its schema.
  static let prefix = "secret-service:"

  /// The services of what is kept for the service itself: its collections, and the portal's
  /// secrets.
  private static let reserved: Set<String> = [CollectionStore.service, SecretService.portalService]

  /// Returns whether a client's item may be of a service.
  static func isFree(_ service: String) -> Bool {
    !service.isEmpty && !service.hasPrefix(prefix) && !reserved.contains(service)
  }

  /// Returns the item with what a client gave beside the attributes.
  func with(label: String, secret: Secret?) -> StoredItem {
    var item = self
    (item.base.label, item.base.secret) = (label, secret)
    return item
  }

  /// Returns an item of the same attributes whose key no other has.
  ///
  /// The protocol allows several items with the same attributes, a vault does not.
  func another(_ attributes: [String: String]) -> StoredItem {
    var copy = AttributeMapping.unmapped(attributes).with(label: label, secret: secret)
    copy.base.account += ".\(ItemID())"
    for name in Self.besideAttributes { copy.custom[name] = custom[name] }
    return copy
  }
}

extension StoredItem {
  /// The custom attributes that do not come from the attributes that a client gives.
  private static let besideAttributes = [ItemStore.collectionName, ItemStore.contentType]

  /// Returns the item of a set of attributes in place of an old one, whose spelling of a part of
  /// the key is kept if it means the same: an unset port, a path that begins with a slash, and the
  /// realm that tells Docker's server from another text with the same parts.
  func replacing(_ old: StoredItem, _ attributes: [String: String]) -> StoredItem {
    guard case (.internet(let old), .internet(var new)) = (old, self) else { return self }
    if new.protocol == old.protocol, new.hasPort(old.port) { new.port = old.port }
    if AttributeMapping.trimmed(old.path).hasSameBytes(as: new.path) { new.path = old.path }
    if DockerServer(of: old) != nil { new.realm = old.realm }
    return StoredItem.internet(new).writing(attributes)
  }

  /// Returns the changes that give the item the key and the attributes of another one.
  ///
  /// - Throws: ``VaultError/Code/unsupported`` if that is an item of another kind.
  func changes(to new: StoredItem) throws(VaultError) -> [ItemChange] {
    var changes: [ItemChange]
    switch (self, new) {
    case (.internet, .internet(let item)):
      guard dockerServer?.text == new.dockerServer?.text else { throw Self.otherKind }
      changes = [
        .account(item.account), .server(item.server), .protocol(item.protocol), .port(item.port),
        .authenticationMethod(item.authenticationMethod), .realm(item.realm), .path(item.path),
      ]
    case (.generic, .generic(let item)):
      changes = [.service(item.service), .account(item.account)]
      // A store has filled in the service for a label that no client gave.
      if label.isEmpty { changes.append(.label(item.service)) }
    default: throw Self.otherKind
    }
    for name in custom.keys where new.custom[name] == nil && !Self.besideAttributes.contains(name) {
      changes.append(.custom(name, nil))
    }
    for (name, value) in new.custom { changes.append(.custom(name, value)) }
    return changes
  }

  private static let otherKind = VaultError(
    .unsupported, "these attributes mean an item of another kind")
}
