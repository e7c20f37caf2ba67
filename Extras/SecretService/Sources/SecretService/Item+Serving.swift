import Interchange
import CredentialVault
import SecureMemory
import VaultModel

/// Items as clients of the Secret Service see and change them.
extension Item {
  var hasExpired: Bool { isExpired(at: .now()) }

  /// The name for people; a store fills an empty one, which no client gave.
  var servedLabel: String { isOfAttributes && label == service ? "" : label }

  /// Whether programs may see it: it protects a secret that can be given away, and is not one that
  /// the service keeps for itself.
  var isOffered: Bool {
    !AttributeMapping.reserved.contains(service) && !isNegative && !needsPIN
      && secretKind != .identity
  }

  /// Whether its key is made of attributes that mean nothing to the vault.
  var isOfAttributes: Bool { service.hasPrefix(AttributeMapping.servicePrefix) }

  /// Returns the item with what a client gave beside the attributes.
  func with(label: String, secret: Secret?) -> Item {
    var item = self
    (item.label, item.secret) = (label, secret)
    return item
  }

  /// Returns an item of the same attributes whose key no other has.
  ///
  /// The protocol allows several items with the same attributes, a vault does not.
  func another(_ attributes: [String: String]) -> Item {
    var copy = AttributeMapping.unmapped(attributes).with(label: servedLabel, secret: secret)
    copy.account += ".\(ItemID())"
    for name in Self.besideAttributes { copy.custom[name] = custom[name] }
    return copy
  }

  /// The custom attributes that do not come from the attributes that a client gives.
  private static let besideAttributes = [ItemStore.collectionName, ItemStore.contentType]

  /// Returns the item of a set of attributes in place of an old one, whose spelling of a part of
  /// the key is kept if it means the same: an unset port, a path that begins with a slash, and the
  /// realm that tells Docker's server from another text with the same parts.
  func replacing(_ old: Item, _ attributes: [String: String]) -> Item {
    guard key.itemClass == .internetPassword, old.key.itemClass == .internetPassword else {
      return self
    }
    var new = self
    if new.protocol == old.protocol, new.hasPort(old.port) { new.port = old.port }
    if AttributeMapping.trimmed(old.path).hasSameBytes(as: new.path) { new.path = old.path }
    if DockerServer(of: old) != nil { new.realm = old.realm }
    return new.writing(attributes)
  }

  /// Returns the changes that give the item the key and the attributes of another one.
  ///
  /// - Throws: ``VaultError/Code/unsupported`` if that is an item of another kind.
  func changes(to new: Item) throws(VaultError) -> [ItemChange] {
    guard key.itemClass == new.key.itemClass, dockerServer?.text == new.dockerServer?.text else {
      throw VaultError(.unsupported, "these attributes mean an item of another kind")
    }
    var changes: [ItemChange]
    switch new.key.itemClass {
    case .internetPassword:
      changes = [
        .account(new.account), .server(new.server), .protocol(new.protocol), .port(new.port),
        .authenticationMethod(new.authenticationMethod), .realm(new.realm), .path(new.path),
      ]
    case .genericPassword:
      changes = [.service(new.service), .account(new.account)]
      // A store has filled in the service for a label that no client gave.
      if servedLabel.isEmpty { changes.append(.label(new.service)) }
    }
    for name in custom.keys where new.custom[name] == nil && !Self.besideAttributes.contains(name) {
      changes.append(.custom(name, nil))
    }
    for (name, value) in new.custom { changes.append(.custom(name, value)) }
    return changes
  }
}
