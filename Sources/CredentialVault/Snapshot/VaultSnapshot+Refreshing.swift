import SecureMemory
import VaultStore
package import VaultModel

/// Functions that bring the copy up to date; all of them may wait for the file's lock.
extension VaultSnapshot {
  /// Checks whether another process has changed the file, and notifies the vault's observers if so.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/closed``, ``VaultError/Code/damaged``,
  ///   ``VaultError/Code/busy``.
  package func look() throws(VaultError) {
    try vault.requireUnlocked()
    try vault.file?.look()
  }

  /// Copies the whole file again.
  ///
  /// - Returns: Whether its content differs from that of the previous copy.
  /// - Throws: As ``look()``; without a key the copy is dropped.
  package func refresh() throws(VaultError) -> Bool {
    try reading { (file, epoch) throws(VaultError) in
      var new = Copy(epoch: epoch)
      for item in try file.find(ItemQuery(), withSecrets: true) { new.insert(item) }
      new.defaults = try file.defaults()
      // Sealed outside the lock, which lookups wait for.
      let old = copy.withLock { (copy) -> Copy? in
        guard copy.epoch == epoch else { return nil }
        defer { copy = new }
        return copy
      }
      guard let old else { return false }
      return new.revisions != old.revisions || new.defaults != old.defaults
    }
  }

  /// Copies the file's items of some spaces again, with any method, and the defaults of their
  /// hosts.
  ///
  /// A default that moved with its user may belong to a space that names the item less exactly, so
  /// all defaults of the host are copied.
  ///
  /// - Throws: As ``refresh()``.
  package func refresh(_ spaces: Set<ProtectionSpace>) throws(VaultError) {
    _ = try reading { (file, epoch) throws(VaultError) in
      for space in spaces {
        var query = ItemQuery(space)
        query.authenticationMethod = .any
        let items = try file.find(query, withSecrets: true)
        let defaults = try file.defaults(of: space.host)
        copy.withLock { copy in
          guard copy.epoch == epoch else { return }
          copy.groups[space.withoutMethod] = nil
          // A renamed item was in another group.
          copy.remove(Set(items.map(\.id)))
          for item in items { copy.insert(item) }
          copy.defaults = copy.defaults.filter { $0.key.host != space.host }
          copy.defaults.merge(defaults) { _, new in new }
        }
      }
      return true
    }
  }

  /// Removes an item from the copy that was removed or answers no space any more.
  package func forget(_ id: ItemID) {
    copy.withLock { copy in copy.remove([id]) }
  }

  /// Drops the copy and wipes the key of its secrets.
  package func forgetAll() {
    copy.withLock { copy in copy = Copy(epoch: copy.epoch &+ 1) }
  }

  private func reading(
    _ body: (FileStore, UInt64) throws(VaultError) -> Bool
  ) throws(VaultError) -> Bool {
    let epoch = copy.withLock { $0.epoch }
    do throws(VaultError) {
      try vault.requireUnlocked()
      guard let file = vault.file else { return false }
      return try body(file, epoch)
    } catch {
      if error.code == .locked || error.code == .closed { forgetAll() }
      throw error
    }
  }
}

extension VaultSnapshot.Copy {
  /// Removes items from every group.
  fileprivate mutating func remove(_ ids: Set<ItemID>) {
    for (space, group) in groups where group.contains(where: { ids.contains($0.item.id) }) {
      let rest = group.filter { !ids.contains($0.item.id) }
      groups[space] = rest.isEmpty ? nil : rest
    }
  }

  /// Inserts an item, unless no space asks for it.
  fileprivate mutating func insert(_ item: Item) {
    guard item.isSent, let space = item.space?.withoutMethod else { return }
    groups[space, default: []].append(sealed(item))
  }

  /// The revisions of all items, which identify the content without opening anything.
  fileprivate var revisions: [ItemID: UInt64] {
    var revisions: [ItemID: UInt64] = [:]
    for group in groups.values {
      for entry in group { revisions[entry.item.id] = entry.item.revision }
    }
    return revisions
  }
}
