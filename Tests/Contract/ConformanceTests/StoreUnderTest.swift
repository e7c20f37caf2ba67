import VaultStore
import VaultModel

/// A store whose changes are made by its transactions, each in one of its own.
enum StoreUnderTest {
  /// Is asked as programs ask it, outside of transactions.
  case file(FileStore)
  /// Is also asked within transactions.
  case transaction(FileStore)
  case session(any StoreTransaction)

  var file: FileStore? {
    switch self {
    case .file(let store), .transaction(let store): store
    case .session: nil
    }
  }

  private func write<R>(
    _ body: (any StoreTransaction) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    switch self {
    case .file(let store), .transaction(let store):
      try store.write { (transaction) throws(VaultError) in try body(transaction) }
    case .session(let store): try body(store)
    }
  }

  private func read<R>(
    _ body: (any StoreReader) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    guard case .file(let store) = self else { return try write(body) }
    return try body(store)
  }

  func find(_ query: ItemQuery, withSecrets: Bool) throws(VaultError) -> [Item] {
    try read { (store) throws(VaultError) in try store.find(query, withSecrets: withSecrets) }
  }

  func history(
    of id: ItemID, hint: Item.Key, withSecrets: Bool
  ) throws(VaultError) -> [PreviousSecret] {
    try read { (store) throws(VaultError) in
      try store.history(of: id, hint: hint, withSecrets: withSecrets)
    }
  }

  func previousSecret(
    _ id: PreviousSecret.ID, hint: Item.Key
  ) throws(VaultError) -> PreviousSecret {
    try read { (store) throws(VaultError) in try store.previousSecret(id, hint: hint) }
  }

  func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try read { (store) throws(VaultError) in try store.defaultUser(for: space) }
  }

  func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    try read { (store) throws(VaultError) in try store.defaults() }
  }

  func add(_ item: Item) throws(VaultError) -> Item {
    try write { (store) throws(VaultError) in try store.add(item) }
  }

  func modify(
    _ id: ItemID, hint: Item.Key, _ changes: [ItemChange], revision: UInt64? = nil
  ) throws(VaultError) -> Item {
    try write { (store) throws(VaultError) in
      try store.modify(id, hint: hint, changes, revision: revision)
    }
  }

  func modify(
    _ id: ItemID, hint: Item.Key, _ changes: [ItemChange], revision: UInt64? = nil,
    place: (Item) throws(VaultError) -> Placement
  ) throws(VaultError) -> Modified {
    try write { (store) throws(VaultError) in
      try store.modify(id, hint: hint, changes, revision: revision, place: place)
    }
  }

  func remove(
    _ id: ItemID, hint: Item.Key, revision: UInt64? = nil
  ) throws(VaultError) {
    try write { (store) throws(VaultError) in
      try store.remove(id, hint: hint, revision: revision)
    }
  }

  func take(_ id: ItemID, hint: Item.Key) throws(VaultError) -> Item {
    try write { (store) throws(VaultError) in try store.take(id, hint: hint) }
  }

  @discardableResult
  func put(_ item: Item) throws(VaultError) -> Item {
    try write { (store) throws(VaultError) in try store.put(item) }
  }

  func setDefaultUser(_ user: String?, for space: ProtectionSpace) throws(VaultError) {
    try write { (store) throws(VaultError) in try store.setDefaultUser(user, for: space) }
  }
}
