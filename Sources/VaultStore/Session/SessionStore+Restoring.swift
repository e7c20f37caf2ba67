package import VaultModel

/// Changes that can be undone, because the file may not be written in the end.
///
/// An item that is put back is as it was, sealed, with its revision and history. Nothing is put
/// back into a later session.
extension SessionStore {
  /// The former state of an item that was taken out or changed.
  package struct SavedItem: Sendable {
    fileprivate let entry: Entry
    /// The revision that the change left; nil for an item that was taken out.
    fileprivate let revision: UInt64?
    fileprivate let session: UInt64
  }

  /// Removes an item temporarily, as ``take(_:hint:)`` does.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  package func takeOut(
    _ id: ItemID, hint: Item.Key
  ) throws(VaultError) -> (item: Item, back: SavedItem) {
    try withState { (state) throws(VaultError) in
      let entry = try state.entry(id, hint: hint)
      let item = try state.unsealed(entry, at: Moment(time))
      state.remove(entry.item)
      return (item, SavedItem(entry: entry, revision: nil, session: state.ended))
    }
  }

  /// Changes an item as ``modify(_:hint:_:revision:place:)`` does, without an event.
  ///
  /// - Returns: The result, and the former state; nil if the item was not changed here.
  /// - Throws: As ``modify(_:hint:_:revision:place:)``.
  package func modifyRestorably(
    _ id: ItemID, hint: Item.Key, _ changes: [ItemChange],
    revision: UInt64?, place: (Item) throws(VaultError) -> Placement
  ) throws(VaultError) -> (modified: Modified, saved: SavedItem?) {
    try withState { (state) throws(VaultError) in
      let entry = try state.entry(id, hint: hint)
      let modified = try state.modify(
        entry, changes, revision: revision, at: Moment(time), place: place)
      guard modified.isHere, modified.item.revision != entry.item.revision else {
        return (modified, nil)
      }
      return (
        modified, SavedItem(entry: entry, revision: modified.item.revision, session: state.ended)
      )
    }
  }

  /// Restores the former state of an item.
  ///
  /// - Throws: ``VaultError/Code/duplicateItem`` if there is another item with its key or id;
  ///   ``VaultError/Code/itemNotFound`` if the changed item is gone, or the session has ended;
  ///   ``VaultError/Code/conflict`` if somebody else changed the item after that.
  package func putBack(_ saved: SavedItem) throws(VaultError) {
    try withState { (state) throws(VaultError) in
      let (entry, now) = (saved.entry, Moment(time))
      try state.requireSession(saved.session)
      guard let revision = saved.revision else {
        try state.requireUnique(entry.item.key, except: nil, at: now)
        guard !state.holds(entry.item.id) else {
          throw VaultError(.duplicateItem, "an item has the id \(entry.item.id) already")
        }
        return state.insert(entry)
      }
      let changed = try state.entry(entry.item.id, hint: entry.item.key).item
      try changed.require(revision: revision)
      try state.requireUnique(entry.item.key, except: changed, at: now)
      state.remove(changed)
      state.insert(entry)
    }
  }

  /// A pending item that was taken out.
  package struct SavedPending: Sendable {
    fileprivate let pending: Pending
    fileprivate let index: Int
    fileprivate let session: UInt64
  }

  /// Removes a pending item temporarily.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  package func takeOutPending(_ id: ItemID) throws(VaultError) -> SavedPending {
    try withState { (state) throws(VaultError) in
      let index = try state.pendingIndex(id)
      return SavedPending(
        pending: state.pending.remove(at: index), index: index, session: state.ended)
    }
  }

  /// Restores a pending item at its place: of several with one key, the newest is used.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if the session has ended;
  ///   ``VaultError/Code/duplicateItem`` if there is another item with its id.
  package func putBack(_ saved: SavedPending) throws(VaultError) {
    try withState { (state) throws(VaultError) in
      try state.requireSession(saved.session)
      let id = saved.pending.entry.item.id
      guard !state.holds(id) else {
        throw VaultError(.duplicateItem, "an item has the id \(id) already")
      }
      state.pending.insert(saved.pending, at: min(saved.index, state.pending.count))
    }
  }
}

extension SessionStore.State {
  fileprivate func requireSession(_ number: UInt64) throws(VaultError) {
    guard number == ended else { throw VaultError(.itemNotFound, "the session has ended") }
  }
}
