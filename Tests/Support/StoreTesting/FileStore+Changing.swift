package import VaultStore
package import VaultModel

/// Changes of a file, each in a transaction of its own.
extension FileStore {
  /// Adds an item.
  package func add(_ item: Item) throws(VaultError) -> Item {
    try write { (transaction) throws(VaultError) in try transaction.add(item) }
  }

  /// Changes an item where it is.
  package func modify(
    _ id: ItemID, hint: Item.Key, _ changes: [ItemChange], revision: UInt64? = nil
  ) throws(VaultError) -> Item {
    try write { (transaction) throws(VaultError) in
      try transaction.modify(id, hint: hint, changes, revision: revision)
    }
  }

  /// Changes an item, wherever it belongs then.
  package func modify(
    _ id: ItemID, hint: Item.Key, _ changes: [ItemChange], revision: UInt64? = nil,
    place: (Item) throws(VaultError) -> Placement
  ) throws(VaultError) -> Modified {
    try write { (transaction) throws(VaultError) in
      try transaction.modify(id, hint: hint, changes, revision: revision, place: place)
    }
  }

  /// Removes an item.
  package func remove(
    _ id: ItemID, hint: Item.Key, revision: UInt64? = nil
  ) throws(VaultError) {
    try write { (transaction) throws(VaultError) in
      try transaction.remove(id, hint: hint, revision: revision)
    }
  }

  /// Deletes an item and leaves nothing of it in the trash.
  package func deleteForGood(_ id: ItemID, hint: Item.Key) throws(VaultError) {
    try write { (transaction) throws(VaultError) in
      try transaction.remove(id, hint: hint, removal: .permanent)
    }
  }

  /// Removes an item for another store.
  package func take(
    _ id: ItemID, hint: Item.Key
  ) throws(VaultError) -> Item {
    try write { (transaction) throws(VaultError) in try transaction.take(id, hint: hint) }
  }

  /// Adds an item as it is.
  @discardableResult
  package func put(_ item: Item) throws(VaultError) -> Item {
    try write { (transaction) throws(VaultError) in try transaction.put(item) }
  }

  /// Makes a user the default of a space; nil clears it.
  package func setDefaultUser(
    _ user: String?, for space: ProtectionSpace
  ) throws(VaultError) {
    try write { (transaction) throws(VaultError) in
      try transaction.setDefaultUser(user, for: space)
    }
  }
}
