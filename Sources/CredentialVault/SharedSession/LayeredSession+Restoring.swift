import VaultStore
import VaultModel

/// Changes that can be undone, because the vault's file may not be written in the end.
extension LayeredSession {
  /// The former state of an item that was taken out or changed.
  enum SavedItem: Sendable {
    case own(SessionStore.SavedItem)
    /// The item in the shared session, and the revision that its change left.
    case shared(FileTransaction.SavedItem, revision: UInt64?)
  }

  /// Removes an item temporarily, without an event.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  func takeOut(
    _ id: ItemID, hint: Item.Key
  ) throws(VaultError) -> (item: Item, back: SavedItem) {
    try holder { () throws(VaultError) in
      let taken = try own.takeOut(id, hint: hint)
      return (taken.item, .own(taken.back))
    } shared: { (shared) throws(VaultError) in
      try shared.write(isQuiet: true) { (transaction) throws(VaultError) in
        let saved = try transaction.saved(id, hint: hint)
        _ = try transaction.take(id, hint: hint)
        return (saved.item.ofSession, .shared(saved, revision: nil))
      }
    }
  }

  /// Changes an item without an event.
  ///
  /// - Returns: The result, and the former state; nil if the item was not changed here.
  /// - Throws: As ``modify(_:hint:_:revision:place:)``.
  func modifyRestorably(
    _ id: ItemID, hint: Item.Key, _ changes: [ItemChange], revision: UInt64?,
    place: (Item) throws(VaultError) -> Placement
  ) throws(VaultError) -> (modified: Modified, saved: SavedItem?) {
    try holder { () throws(VaultError) in
      let (modified, saved) = try own.modifyRestorably(
        id, hint: hint, changes, revision: revision, place: place)
      return (modified, saved.map(SavedItem.own))
    } shared: { (shared) throws(VaultError) in
      try shared.write(isQuiet: true) { (transaction) throws(VaultError) in
        let saved = try transaction.saved(id, hint: hint)
        let modified = try transaction.modify(id, hint: hint, changes, revision: revision) {
          (item) throws(VaultError) in try place(item.ofSession)
        }.ofSession
        guard modified.isHere, modified.item.revision != saved.item.revision else {
          return (modified, nil)
        }
        return (modified, .shared(saved, revision: modified.item.revision))
      }
    }
  }

  /// Restores the former state of an item.
  ///
  /// - Throws: As ``SessionStore/putBack(_:)``, for a shared one also
  ///   ``VaultError/Code/itemNotFound`` if the session has ended.
  func putBack(_ saved: SavedItem) throws(VaultError) {
    switch saved {
    case .own(let saved): try own.putBack(saved)
    case .shared(let saved, let revision):
      let isDone: Void? = try shared?.write(isQuiet: true) { (transaction) throws(VaultError) in
        try transaction.putBack(saved, after: revision)
      }
      guard isDone != nil else { throw VaultError(.itemNotFound, "the session has ended") }
    }
  }
}
