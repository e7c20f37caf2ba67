import CredentialVault
import VaultModel

/// The verbs of items, in a vault and in a transaction alike.
protocol ItemVerbs: ~Copyable {
  func find(_ query: ItemQuery, withSecrets: Bool) throws(VaultError) -> Item
  func findUnique(_ query: ItemQuery, withSecrets: Bool) throws(VaultError) -> Item
  func findAll(_ query: ItemQuery, withSecrets: Bool) throws(VaultError) -> [Item]
  func count(_ query: ItemQuery) throws(VaultError) -> Int
  func item(
    _ id: ItemID, hint: Item.Key?, withSecrets: Bool
  ) throws(VaultError) -> Item

  func add(
    _ item: Item, persistence: Persistence, afterAcceptance: Bool
  ) throws(VaultError) -> StoreResult
  func upsert(
    _ item: Item, persistence: Persistence, afterAcceptance: Bool
  ) throws(VaultError) -> StoreResult
  func modify(
    _ item: Item, _ changes: [ItemChange], ifRevision revision: UInt64?,
    afterAcceptance: Bool, removal: Removal
  ) throws(VaultError) -> StoreResult
  func remove(
    _ item: Item, ifRevision revision: UInt64?, removal: Removal
  ) throws(VaultError)
  func removeUnique(_ query: ItemQuery, removal: Removal) throws(VaultError) -> Item
  func removeAll(_ query: ItemQuery, removal: Removal) throws(VaultError) -> Int

  func history(
    of item: Item, withSecrets: Bool
  ) throws(VaultError) -> [PreviousSecret]
  func previousSecret(
    _ previous: PreviousSecret, of item: Item
  ) throws(VaultError) -> PreviousSecret
  func revert(
    _ item: Item, to previous: PreviousSecret?, ifRevision revision: UInt64?,
    afterAcceptance: Bool
  ) throws(VaultError) -> StoreResult
  var historyLimit: Int { get throws(VaultError) }
  func setHistoryLimit(_ limit: Int) throws(VaultError)

  func trash(_ query: ItemQuery) throws(VaultError) -> [RemovedItem]
  func restore(_ removed: RemovedItem) throws(VaultError) -> StoreResult
  func remove(_ removed: RemovedItem) throws(VaultError)
  func emptyTrash(_ query: ItemQuery) throws(VaultError) -> Int
  var trashDays: Int { get throws(VaultError) }
  func setTrashDays(_ days: Int) throws(VaultError)
}

/// The verbs of a vault or of a transaction, for a call.
typealias AnyItemVerbs = any ItemVerbs & ~Copyable

extension Vault.Writer: ItemVerbs {}

/// A vault has those for previous secrets and the trash in two groups.
extension Vault: ItemVerbs {
  func history(
    of item: Item, withSecrets: Bool
  ) throws(VaultError) -> [PreviousSecret] {
    try history.entries(of: item, withSecrets: withSecrets)
  }

  func previousSecret(
    _ previous: PreviousSecret, of item: Item
  ) throws(VaultError) -> PreviousSecret {
    try history.open(previous, of: item)
  }

  func revert(
    _ item: Item, to previous: PreviousSecret?, ifRevision revision: UInt64?,
    afterAcceptance: Bool
  ) throws(VaultError) -> StoreResult {
    try history.revert(item, to: previous, ifRevision: revision, afterAcceptance: afterAcceptance)
  }

  var historyLimit: Int { get throws(VaultError) { try history.limit } }

  func setHistoryLimit(_ limit: Int) throws(VaultError) { try history.setLimit(limit) }

  func trash(_ query: ItemQuery) throws(VaultError) -> [RemovedItem] { try trash.items(query) }

  func restore(_ removed: RemovedItem) throws(VaultError) -> StoreResult {
    try trash.restore(removed)
  }

  func remove(_ removed: RemovedItem) throws(VaultError) {
    try writing { (transaction) throws(VaultError) in try transaction.remove(removed) }
  }

  func emptyTrash(_ query: ItemQuery) throws(VaultError) -> Int { try trash.empty(query) }

  var trashDays: Int { get throws(VaultError) { try trash.days } }

  func setTrashDays(_ days: Int) throws(VaultError) { try trash.setDays(days) }
}
