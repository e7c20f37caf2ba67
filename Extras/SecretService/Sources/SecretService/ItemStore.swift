import CredentialVault
import VaultAdministration
import VaultModel

/// The items of the vault by collection and attributes.
///
/// `login` has the permanent items, `session` those of the session. Every other collection is a
/// custom attribute of its items, which are never shared with Git or Docker.
final class ItemStore {
  static let login = "login"
  static let session = "session"
  /// The custom attribute that names the collection of an item that is in none of these.
  static let collectionName = AttributeMapping.ownPrefix + "collection"
  static let contentType = AttributeMapping.ownPrefix + "content-type"
  private static let mostHints = 4096

  let served: ServedVault
  /// The keys under which items were seen, so that finding them again reads one bucket.
  private var hints: [ItemID: Item.Key] = [:]
  private var index: AttributeIndex?
  /// How many items were looked at by searches, those that were read for the index included.
  private(set) var examined = 0

  init(_ served: ServedVault) {
    self.served = served
  }

  /// Returns the name of the collection that an item is in.
  static func collection(of item: Item) -> String {
    item.persistence == .session ? session : item.custom[collectionName] ?? login
  }

  /// Returns the items that have all the attributes.
  ///
  /// - Parameters:
  ///   - attributes: Any number of them; none matches every item.
  ///   - collection: The name of a collection; nil for all.
  ///   - includesExpired: Whether it also finds items that have expired.
  /// - Returns: The items without their secrets: those that have no other attributes first, and the
  ///   newest of them.
  /// - Throws: ``VaultError/Code/locked``, and any error of reading the file.
  func search(
    _ attributes: [String: String], in collection: String? = nil, includesExpired: Bool = false
  ) throws(VaultError) -> [Item] {
    let vault = try served.unlockedVault()
    let candidates = try candidates(for: attributes, in: vault)
    let items = try VaultLayers(vault).session(beside: candidates).filter {
      $0.isOffered && (includesExpired || !$0.hasExpired) && $0.matches(attributes)
        && (collection == nil || Self.collection(of: $0) == collection)
    }
    // Programs take the first one. What one has stored is not hidden by what another stores later
    // with more attributes.
    let exact = Set(items.filter { $0.attributes.count == attributes.count }.map(\.id))
    let sorted = items.sorted {
      let (isExact, isOtherExact) = (exact.contains($0.id), exact.contains($1.id))
      return isExact == isOtherExact
        ? ($0.modified, $0.id) > ($1.modified, $1.id) : isExact
    }
    for item in sorted { remember(item) }
    return sorted
  }

  /// Returns the items of the file that can match, from an index of the file as it is now.
  private func candidates(
    for attributes: [String: String], in vault: Vault
  ) throws(VaultError) -> [Item] {
    // Before the items are read: if another process writes meanwhile, the next search reads again.
    let layers = VaultLayers(vault)
    let generation = try layers.generation()
    if index?.generation != generation {
      let items = try layers.file()
      index = AttributeIndex(items, at: generation)
      examined += items.count
    }
    let candidates = index?.candidates(for: attributes) ?? []
    examined += candidates.count
    return candidates
  }

  /// Returns an item of a collection.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is not there, or may not be given away, as a
  ///   secret whose time is over.
  func item(
    _ id: ItemID, in collection: String, withSecrets: Bool = false
  ) throws(VaultError) -> Item {
    let item = try served.unlockedVault().item(id, hint: hints[id], withSecrets: withSecrets)
    guard item.isOffered, Self.collection(of: item) == collection, !withSecrets || !item.hasExpired
    else {
      throw VaultError(.itemNotFound, "there is no such item")
    }
    remember(item)
    return item
  }

  /// Notes an item as it is stored now.
  func note(_ item: Item) {
    index?.note(item)
    remember(item)
  }

  /// Notes the key of an item.
  private func remember(_ item: Item) {
    if hints.count >= Self.mostHints { hints.removeAll() }
    hints[item.id] = item.key
  }

  /// Notes that an item was removed.
  func noteRemoval(of id: ItemID, from vault: Vault) {
    hints[id] = nil
    do throws(VaultError) {
      index?.noteRemoval(of: id, at: try VaultLayers(vault).generation())
    } catch {
      // The item is gone nevertheless; the next search reads all others again.
      index = nil
    }
  }

  /// Forgets what is known of the items of a vault that was locked.
  func forgetAll() {
    hints = [:]
    index = nil
  }

  /// Whether an index is kept.
  var isIndexed: Bool { index != nil }

  /// Returns whether an item was read, and its key is known.
  func hasSeen(_ id: ItemID) -> Bool { hints[id] != nil }
}
