import CredentialVault
import Interchange
import SecureMemory
import VaultModel

/// An item of the vault, of either class, as the Secret Service sees it.
enum StoredItem: Sendable {
  case internet(InternetPassword)
  case generic(GenericPassword)

  /// The form that both classes have in common.
  private var base: InternetPassword {
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
    var twin = AttributeMapping.unmapped(attributes).with(label: label, secret: secret)
    twin.base.account += ".\(ItemID())"
    for (name, value) in custom where name.hasPrefix(AttributeMapping.ownPrefix) {
      twin.custom[name] = value
    }
    return twin
  }
}

extension StoredItem {
  /// Returns the changes that give the item the key and the attributes of another one.
  ///
  /// - Throws: ``VaultError/Code/unsupported`` if that is an item of another kind.
  func changes(to new: StoredItem) throws(VaultError) -> [ItemChange] {
    var changes: [ItemChange]
    switch (self, new) {
    case (.internet(let old), .internet(let new)): changes = try Self.changes(of: old, to: new)
    case (.generic, .generic(let new)):
      changes = [.service(new.service), .account(new.account)]
      // A store has filled in the service for a label that no client gave.
      if label.isEmpty { changes.append(.label(new.service)) }
    default: throw Self.otherKind
    }
    for name in custom.keys where new.custom[name] == nil {
      if !name.hasPrefix(AttributeMapping.ownPrefix) { changes.append(.custom(name, nil)) }
    }
    for (name, value) in new.custom { changes.append(.custom(name, value)) }
    return changes
  }

  private static func changes(
    of old: InternetPassword, to new: InternetPassword
  ) throws(VaultError) -> [ItemChange] {
    let servers = (DockerServer(of: old)?.text, DockerServer(of: new)?.text)
    guard servers.0 == servers.1 else { throw otherKind }
    var changes: [ItemChange] = [
      .account(new.account), .server(new.server), .protocol(new.protocol), .port(new.port),
      .authenticationMethod(new.authenticationMethod),
    ]
    // Docker's may be what tells it from another text with the same parts.
    if servers.0 == nil { changes.append(.realm(new.realm)) }
    // Clients begin it with a slash or not.
    let paths = [old.path, new.path].map { $0.drop { $0 == "/" }.utf8 }
    if !paths[0].elementsEqual(paths[1]) { changes.append(.path(new.path)) }
    return changes
  }

  private static let otherKind = VaultError(
    .unsupported, "these attributes mean an item of another kind")
}
