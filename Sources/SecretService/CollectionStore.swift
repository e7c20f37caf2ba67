import CredentialVault
import VaultModel

/// The collections: two that are always there, and those that programs made.
///
/// A collection that a program made is an item without a secret, which has its label and aliases;
/// so is what was said of the other two.
final class CollectionStore {
  static let service = "org.freedesktop.Secret.Collection"
  /// The start of the names of the custom attributes that are a collection's aliases.
  private static let alias = AttributeMapping.ownPrefix + "alias."
  private static let mostCollections = 256

  private let served: ServedVault
  private let items: ItemStore
  private var sessionLabel = "Session"

  /// A collection's own properties.
  struct Collection {
    let name: String
    var label: String
    var created = Timestamp(seconds: 0)
    var modified = Timestamp(seconds: 0)
  }

  init(_ served: ServedVault, _ items: ItemStore) {
    (self.served, self.items) = (served, items)
  }

  /// Returns the names of all collections; of a locked vault only those that are always there.
  func names() throws(VaultError) -> [String] {
    let own = [ItemStore.login, ItemStore.session]
    guard try served.isUnlocked() else { return own }
    return own + (try marks().map(\.account).filter { !own.contains($0) })
  }

  /// Returns a collection; of a locked vault any name is one.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  func collection(_ name: String) throws(VaultError) -> Collection {
    if name == ItemStore.session { return Collection(name: name, label: sessionLabel) }
    let label = name == ItemStore.login ? "Login" : name
    guard try served.isUnlocked() else { return Collection(name: name, label: label) }
    guard let mark = try mark(name) else {
      guard name == ItemStore.login else {
        throw VaultError(.itemNotFound, "there is no such collection")
      }
      return Collection(name: name, label: label)
    }
    return Collection(
      name: name, label: mark.label, created: mark.created, modified: mark.modified)
  }

  /// Returns the collection of an alias; nil if there is none.
  func name(ofAlias alias: String) throws(VaultError) -> String? {
    if try served.isUnlocked(),
      let mark = try marks().first(where: { $0.custom[Self.alias + alias] != nil })
    {
      return mark.account
    }
    switch alias {
    case "default", ItemStore.login: return ItemStore.login
    case ItemStore.session: return ItemStore.session
    default: return nil
    }
  }

  /// Makes a collection.
  ///
  /// - Returns: Its name, made of the label.
  func create(_ label: String, alias: String) throws(VaultError) -> String {
    let names = try names()
    guard names.count < Self.mostCollections else {
      throw VaultError(.tooLarge, "too many collections")
    }
    let wanted = ObjectPath.name(from: label)
    var (name, number) = (wanted, 1)
    while names.contains(name) {
      number += 1
      let end = "_\(number)"
      name = wanted.prefix(ObjectPath.longestName - end.count) + end
    }
    try add(name, label: label)
    if !alias.isEmpty { try setAlias(alias, to: name) }
    return name
  }

  func setLabel(_ label: String, of name: String) throws(VaultError) {
    if name == ItemStore.session {
      sessionLabel = label
      return
    }
    if let mark = try mark(name) {
      try served.unlockedVault().genericPasswords.modify(mark, [.label(label)])
    } else {
      _ = try collection(name)
      try add(name, label: label)
    }
  }

  /// Gives a collection one more alias, which no other keeps; nil gives it to none, but for those
  /// that the collections have that are always there.
  func setAlias(_ alias: String, to name: String?) throws(VaultError) {
    let vault = try served.unlockedVault()
    let attribute = Self.alias + alias
    if let name {
      if try mark(name) == nil { try add(name, label: collection(name).label) }
      guard let mark = try mark(name) else { return }
      try vault.genericPasswords.modify(mark, [.custom(attribute, "yes")])
    }
    for mark in try marks() where mark.custom[attribute] != nil && mark.account != name {
      try vault.genericPasswords.modify(mark, [.custom(attribute, nil)])
    }
  }

  /// Removes a collection and its items, which go to the trash.
  func remove(_ name: String) throws(VaultError) {
    guard ![ItemStore.login, ItemStore.session].contains(name) else {
      throw VaultError(.unsupported, "this collection is the vault; remove its items")
    }
    guard let mark = try mark(name) else {
      throw VaultError(.itemNotFound, "there is no such collection")
    }
    for item in try items.search([:], in: name, includesExpired: true) { try items.remove(item) }
    try served.unlockedVault().genericPasswords.remove(mark)
  }

  private func add(_ name: String, label: String) throws(VaultError) {
    var mark = GenericPassword(service: Self.service, account: name)
    (mark.label, mark.origin) = (label.isEmpty ? name : label, AttributeMapping.origin)
    (mark.isNegative, mark.isInvisible) = (true, true)
    try served.unlockedVault().genericPasswords.add(mark, isAccepted: true)
  }

  /// Returns the items that stand for collections, all or that of one name; items that a user has
  /// stored under the same service are not among them.
  private func marks(of name: String? = nil) throws(VaultError) -> [GenericPassword] {
    let query = GenericPasswordQuery(service: Self.service, account: name)
    return try served.unlockedVault().genericPasswords.findAll(query).filter {
      $0.isNegative && ObjectPath.name(from: $0.account) == $0.account
    }
  }

  private func mark(_ name: String) throws(VaultError) -> GenericPassword? {
    try marks(of: name).first
  }
}
