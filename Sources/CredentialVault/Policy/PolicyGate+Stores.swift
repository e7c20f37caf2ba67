import SecureMemory
package import VaultStore
import VaultModel

/// The stores that a gate writes to, and changes of the session.
extension PolicyGate {
  func file() throws(VaultError) -> FileTransaction {
    guard let transaction else {
      throw VaultError(.unsupported, "a vault without a file keeps nothing permanently")
    }
    return transaction
  }

  func store(_ persistence: Persistence) throws(VaultError) -> any StoreTransaction {
    guard persistence == .permanent else { return session }
    return try file()
  }

  /// Returns the item that stands for the same credential: the one of the same key, or, unless a
  /// path is named, the one of the same user and space that `forNewSecret(at:)` returns.
  func known(
    for item: Item, in store: any StoreTransaction, at requestPath: RequestPath?
  ) throws(VaultError) -> Item? {
    if !item.path.isEmpty || requestPath == nil || requestPath == .root,
      let same = try store.stored(item.key)
    {
      return same
    }
    guard item.path.isEmpty, let space = item.space else { return nil }
    var query = ItemQuery(space, at: requestPath)
    query.account = item.account.isEmpty ? .unset : .equals(item.account)
    return try store.stored(query).forNewSecret(at: requestPath)
  }

  /// Adds to a result the item that differs from the stored one only in the port:
  /// ``StoreResult/portVariant``.
  package func withPortVariant(_ stored: consuming StoreResult) throws(VaultError) -> StoreResult {
    guard stored.pending == nil, stored.item.persistence > .none else { return stored }
    stored.portVariant = try portVariant(of: stored.item.key, in: store(stored.item.persistence))
    return stored
  }

  package func portVariant(
    of key: Item.Key, in place: any StoreTransaction
  ) throws(VaultError) -> Item? {
    guard let other = key.withOtherPort else { return nil }
    return try place.stored(other)
  }

  /// Returns the changes that a credential's new secret makes to its item; other attributes are
  /// kept.
  func secretChanges(from new: Item) -> [ItemChange] {
    var changes: [ItemChange] = [
      .secret(new.storedSecret ?? Secret("")), .secretKind(new.secretKind),
      .certificates(new.certificates), .refreshToken(new.refreshToken),
    ]
    // A sealed secret that moves stays sealed.
    if new.needsPIN { changes = ItemChange.withPIN(changes) }
    // A password typed for Digest says nothing of the domain that NTLM needs.
    if !new.accountDomain.isEmpty { changes.append(.accountDomain(new.accountDomain)) }
    if let expires = new.expires { changes.append(.expires(expires)) }
    return changes
  }

  // MARK: The session

  /// Adds an item to the session; an item that a store returned is copied and gets a new id.
  ///
  /// Within a transaction observers are notified when it is committed; otherwise by the session, in
  /// the order of its changes.
  func addToSession(_ item: Item) throws(VaultError) -> Item {
    guard isUndoable else {
      let added = try session.add(item)
      let session = session
      onFailure(remove: { () throws(VaultError) in
        try session.remove(added.id, hint: added.key)
      })
      return added
    }
    var new = item
    new.becomeNew(at: now)
    var added = try putIntoSession(new)
    note(.added(VaultEvent.Subject(added)))
    added.storedSecret = item.storedSecret
    added.takeFurtherSecrets(of: item)
    return added
  }

  /// Keeps a changed copy of an item in the session, where it hides the item and replaces an
  /// earlier copy.
  ///
  /// Its secret keeps its age.
  func shadow(_ item: Item) throws(VaultError) -> Item {
    if let earlier = try session.stored(item.key) {
      try removeFromSession(earlier)
    }
    var copy = item
    copy.id = ItemID()
    copy = try putIntoSession(copy)
    note(.added(VaultEvent.Subject(copy)))
    return copy
  }

  /// Takes an item out of the session, as it is.
  func takeFromSession(_ item: Item) throws(VaultError) -> Item {
    let taken = try session.takeOut(item.id, hint: item.key)
    let session = session
    onFailure(restore: { () throws(VaultError) in try session.putBack(taken.back) })
    return taken.item
  }

  /// Removes an item from the session and notifies observers as ``addToSession(_:)`` does.
  func removeFromSession(_ item: Item) throws(VaultError) {
    guard isUndoable else { return try session.remove(item.id, hint: item.key) }
    note(.removed(VaultEvent.Subject(try takeFromSession(item))))
  }

  /// Puts an item into the session, as it is.
  func putIntoSession(_ item: Item) throws(VaultError) -> Item {
    let put = try session.put(item)
    let session = session
    onFailure(remove: { () throws(VaultError) in _ = try session.take(put.id, hint: put.key) })
    return put
  }

  /// Changes an item in its store.
  ///
  /// Within a transaction or a series, a session's item is as it was if that fails, and observers
  /// are notified as ``addToSession(_:)`` does.
  func modifyInStore(
    _ item: Item, _ changes: [ItemChange], revision: UInt64?,
    place: (Item) throws(VaultError) -> Placement
  ) throws(VaultError) -> Modified {
    guard isUndoable, item.persistence != .permanent else {
      return try store(item.persistence).modify(
        item.id, hint: item.key, changes, revision: revision, place: place)
    }
    let (modified, saved) = try session.modifyRestorably(
      item.id, hint: item.key, changes, revision: revision, place: place)
    guard let saved else { return modified }
    let session = session
    onFailure(revert: { () throws(VaultError) in try session.putBack(saved) })
    note(.modified(VaultEvent.Subject(modified.item)))
    return modified
  }

  /// Drops a pending credential; observers were never notified of it.
  func dropPending(_ id: ItemID) throws(VaultError) {
    let session = session.own
    let saved = try session.takeOutPending(id)
    onFailure(restore: { () throws(VaultError) in try session.putBack(saved) })
  }
}

extension [Item] {
  /// Returns the item of a user in a space that gets a new secret, from items sorted best first;
  /// nil if a new item is needed.
  ///
  /// If the request's path is known, it is the one of the longest path there. Otherwise it is the
  /// one without a path, or the best one if all have the same path: among several paths nobody can
  /// tell which one was meant.
  func forNewSecret(at requestPath: RequestPath?) -> Item? {
    if let requestPath, requestPath != .unknown {
      let depths = map { requestPath.depth(of: $0.path) ?? 0 }
      return zip(depths, self).first { $0.0 == depths.max() }?.1
    }
    if let plain = first(where: \.path.isEmpty) { return plain }
    guard let first else { return nil }
    return allSatisfy { $0.path.hasSameBytes(as: first.path) } ? first : nil
  }
}
