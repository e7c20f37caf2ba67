import CredentialVault
import VaultModel

/// The collections: two that are always there, and those that programs made.
///
/// A collection that a program made is an item without a secret, which has its label and aliases;
/// so is what was said of the other two.
final class CollectionStore {
  static let service = "org.freedesktop.Secret.Collection"
  /// The label of `login` until a program gives it another.
  static let loginLabel = "Login"
  /// The start of the names of the custom attributes that are a collection's aliases.
  private static let alias = AttributeMapping.ownPrefix + "alias."
  private static let mostCollections = 256

  private let served: ServedVault
  private let items: ItemStore
  private var sessionLabel = "Session"
  /// The collections of the vault as they were when it was last unlocked.
  private lazy var known = KnownCollections(ofVaultAt: served.path)

  init(_ served: ServedVault, _ items: ItemStore) {
    (self.served, self.items) = (served, items)
  }

  /// Returns the collections that the vault has, or had when it was last unlocked.
  private func all() throws(VaultError) -> [KnownCollections.Collection] {
    guard try served.unlockUnasked() else { return known.collections }
    try noteAll()
    return known.collections
  }

  /// Notes the collections of the unlocked vault, after each look and each change.
  private func noteAll() throws(VaultError) {
    let marks = try marks()
    known.note(
      marks.map { mark in
        let aliases = mark.custom.keys.filter { $0.hasPrefix(Self.alias) }
        return KnownCollections.Collection(
          name: mark.account, label: mark.label,
          aliases: aliases.map { String($0.dropFirst(Self.alias.count)) }.sorted(),
          created: mark.created, modified: mark.modified)
      })
  }

  /// Returns the names of all collections.
  func names() throws(VaultError) -> [String] { Self.names(of: try all()) }

  /// Returns the names of all collections; of a vault that was locked, or cannot be read now, those
  /// of the last look.
  func latestNames(isLocked: Bool) -> [String] {
    do throws(VaultError) {
      return Self.names(of: isLocked ? known.collections : try all())
    } catch {
      return Self.names(of: known.collections)
    }
  }

  private static func names(of collections: [KnownCollections.Collection]) -> [String] {
    let own = [ItemStore.login, ItemStore.session]
    return own + collections.map(\.name).filter { !own.contains($0) }
  }

  /// Returns a collection.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/locked`` for a name that was not
  ///   known when the vault was last unlocked here.
  func collection(_ name: String) throws(VaultError) -> KnownCollections.Collection {
    if name == ItemStore.session { return KnownCollections.Collection(name, label: sessionLabel) }
    if let known = try all().first(where: { $0.name == name }) { return known }
    guard name == ItemStore.login else {
      _ = try served.unlockedVault()
      throw VaultError(.itemNotFound, "there is no such collection")
    }
    return KnownCollections.Collection(name, label: Self.loginLabel)
  }

  /// Returns the collection of an alias; nil if there is none.
  func name(ofAlias alias: String) throws(VaultError) -> String? {
    if let known = try all().first(where: { $0.aliases.contains(alias) }) { return known.name }
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
      try served.unlockedVault().modify(mark, [.label(label)])
    } else {
      _ = try collection(name)
      try add(name, label: label)
    }
    try noteAll()
  }

  /// Gives a collection one more alias, which no other keeps; nil gives it to none, but for those
  /// that the collections have that are always there.
  func setAlias(_ alias: String, to name: String?) throws(VaultError) {
    let vault = try served.unlockedVault()
    let attribute = Self.alias + alias
    if let name {
      if try mark(name) == nil { try add(name, label: collection(name).label) }
      guard let mark = try mark(name) else { return }
      try vault.modify(mark, [.custom(attribute, "yes")])
    }
    for mark in try marks() where mark.custom[attribute] != nil && mark.account != name {
      try vault.modify(mark, [.custom(attribute, nil)])
    }
    try noteAll()
  }

  /// Removes a collection and its items.
  func remove(_ name: String) throws(VaultError) {
    guard ![ItemStore.login, ItemStore.session].contains(name) else {
      throw VaultError(.unsupported, "this collection is the vault; remove its items")
    }
    guard let mark = try mark(name) else {
      throw VaultError(.itemNotFound, "there is no such collection")
    }
    for item in try items.search([:], in: name, includesExpired: true) { try items.remove(item) }
    try served.unlockedVault().remove(mark, removal: .ofProgram)
  }

  private func add(_ name: String, label: String) throws(VaultError) {
    try served.unlockedVault().add(Self.mark(name, label: label), afterAcceptance: true)
  }

  /// Returns the item that stands for a collection.
  static func mark(_ name: String, label: String) -> Item {
    var mark = Item(service: service, account: name)
    (mark.label, mark.origin) = (label.isEmpty ? name : label, AttributeMapping.origin)
    (mark.isNegative, mark.isInvisible) = (true, true)
    return mark
  }

  /// Returns the items that stand for collections, all or that of one name; items that a user has
  /// stored under the same service are not among them.
  private func marks(of name: String? = nil) throws(VaultError) -> [Item] {
    let query = ItemQuery(service: Self.service, account: name)
    return try served.unlockedVault().findAll(query).filter {
      $0.isNegative && ObjectPath.name(from: $0.account) == $0.account
    }
  }

  private func mark(_ name: String) throws(VaultError) -> Item? {
    try marks(of: name).first
  }
}
