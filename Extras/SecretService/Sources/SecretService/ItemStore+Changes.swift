import Interchange
import CredentialVault
import SecureMemory
import VaultModel

/// Items that clients store, change and remove.
extension ItemStore {
  /// Stores an item, in place of the one with the same attributes if that is asked for.
  ///
  /// - Returns: The item as it is now, and whether it is new. The policy may have put it in the
  ///   session.
  func create(
    _ attributes: [String: String], label: String, secret: Secret, contentType: String,
    in collection: String, replaces: Bool
  ) throws(VaultError) -> (item: Item, isNew: Bool) {
    var item = Self.item(for: attributes, in: collection)
    if let contentType = Self.stored(contentType) { item.custom[Self.contentType] = contentType }
    item = item.with(label: label, secret: secret)
    let persistence: Persistence = collection == Self.session ? .session : .permanent
    if replaces, let old = try same(as: item, attributes, in: collection) {
      var changes: [ItemChange] = []
      if !old.attributes.hasSameBytes(as: attributes) {
        changes = try old.changes(to: item.replacing(old, attributes))
      }
      if !label.isEmpty { changes.append(.label(label)) }
      return (try set(secret, contentType, of: old, changes), false)
    }
    do throws(VaultError) {
      return (try add(item, persistence), true)
    } catch {
      guard error.code == .duplicateItem else { throw error }
    }
    if let server = item.dockerServer {
      item.realm = server.text
    } else {
      item = item.another(attributes)
    }
    return (try add(item, persistence), true)
  }

  /// Returns the item that a set of attributes means in a collection, without its secret.
  private static func item(
    for attributes: [String: String], in collection: String
  ) -> Item {
    if [login, session].contains(collection) { return AttributeMapping.item(for: attributes) }
    var item = AttributeMapping.unmapped(attributes)
    // The key also names the collection.
    item.account = "\(collection)/\(item.account)"
    item.custom[collectionName] = collection
    return item
  }

  static func stored(_ contentType: String) -> String? {
    contentType.isEmpty || contentType.hasPrefix("text/plain") ? nil : contentType
  }

  /// Returns the item that a new one replaces: the one of exactly these attributes, else the one
  /// of the same server that has them in another spelling.
  ///
  /// One whose time is over still has the key.
  private func same(
    as item: Item, _ attributes: [String: String], in collection: String
  ) throws(VaultError) -> Item? {
    let found = try search(attributes, in: collection, includesExpired: true)
    return found.first { $0.attributes.hasSameBytes(as: attributes) }
      ?? found.first { $0.isSame(as: item) }
  }

  private func add(
    _ item: Item, _ persistence: Persistence
  ) throws(VaultError) -> Item {
    let vault = try served.unlockedVault()
    let result = try vault.add(
      item, persistence: persistence, afterAcceptance: Self.isAccepted(item))
    try refuse(result.pending)
    let stored = result.item
    guard stored.persistence != .none else {
      throw VaultError(.policyRefused, "the policy allows no storage")
    }
    note(stored)
    return stored
  }

  /// Returns whether the secret of an item counts as accepted.
  ///
  /// Whether a server took it is not said. A rule that wants to know is met by what the program of
  /// a known server stores: it stores what worked.
  private static func isAccepted(_ item: Item) -> Bool {
    item.key.itemClass == .internetPassword
  }

  /// Refuses what would wait for somebody to say that it was accepted: nobody can say so here.
  private func refuse(_ pending: PendingCredential?) throws(VaultError) {
    guard let pending else { return }
    try served.unlockedVault().pending.reject(pending)
    throw VaultError(.policyRefused, "a rule keeps it only after a server has accepted it")
  }

  /// Applies changes to an item.
  func modify(
    _ item: Item, _ changes: [ItemChange]
  ) throws(VaultError) -> Item {
    let changed = try served.unlockedVault().modify(
      item, changes, afterAcceptance: Self.isAccepted(item))
    try refuse(changed.pending)
    note(changed.item)
    return changed.item
  }

  /// Replaces the secret of an item; an end that has passed was the old secret's.
  func set(
    _ secret: Secret, _ contentType: String, of item: Item, _ changes: [ItemChange] = []
  ) throws(VaultError) -> Item {
    let contentType = ItemChange.custom(Self.contentType, Self.stored(contentType))
    return try modify(
      item,
      changes + [.secret(secret), contentType] + (item.hasExpired ? [.expires(nil)] : []))
  }

  /// Replaces the attributes of an item, and with them its key.
  ///
  /// - Throws: ``VaultError/Code/unsupported`` if the new ones mean an item of another kind;
  ///   ``VaultError/Code/duplicateItem`` if a server, a service or Docker has such an item already.
  func setAttributes(
    of item: Item, to attributes: [String: String]
  ) throws(VaultError) -> Item {
    guard !item.attributes.hasSameBytes(as: attributes) else { return item }
    let new = Self.item(for: attributes, in: Self.collection(of: item))
      .replacing(item, attributes)
    let changes = try item.changes(to: new)
    do throws(VaultError) {
      return try modify(item, changes)
    } catch {
      // The protocol allows several items with the same attributes.
      guard error.code == .duplicateItem, new.isOfAttributes else { throw error }
      return try modify(item, changes + [.account("\(new.account).\(ItemID())")])
    }
  }

  func remove(_ item: Item) throws(VaultError) {
    let vault = try served.unlockedVault()
    try vault.remove(item, removal: .ofProgram)
    noteRemoval(of: item.id, from: vault)
  }
}
