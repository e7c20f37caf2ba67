import SecureMemory
import VaultFile
package import VaultModel

/// How the copy of the file follows the file; all of it may wait for the file's lock.
extension VaultSnapshot {
  /// Looks whether another process has changed the file; observers of the vault are told if so.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/closed``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func look() throws(VaultError) {
    try vault.requireUnlocked()
    try vault.file?.look()
  }

  /// Copies the whole file anew.
  ///
  /// - Returns: Whether it holds anything else than the copy did.
  /// - Throws: As ``look()``; without a key the copy is forgotten.
  package func refresh() throws(VaultError) -> Bool {
    try reading { (file, epoch) throws(VaultError) in
      var new = Copy(epoch: epoch)
      for item in try file.find(ItemQuery(), secrets: true) { new.insert(item) }
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

  /// Copies anew what the file has of some spaces, whatever their methods, and the defaults of their hosts.
  ///
  /// A default that was moved with its user is that of a space which names the item perhaps less exactly.
  ///
  /// - Throws: As ``refresh()``.
  package func refresh(_ spaces: Set<ProtectionSpace>) throws(VaultError) {
    _ = try reading { (file, epoch) throws(VaultError) in
      for space in spaces {
        var query = ItemQuery(space)
        query.authenticationMethod = .any
        let items = try file.find(query, secrets: true)
        let defaults = try file.defaults(of: space.host)
        copy.withLock { copy in
          guard copy.epoch == epoch else { return }
          copy.groups[space.withoutMethod] = nil
          // One that was renamed lay among others.
          copy.remove(Set(items.map(\.id)))
          for item in items { copy.insert(item) }
          copy.defaults = copy.defaults.filter { $0.key.host != space.host }
          copy.defaults.merge(defaults) { _, new in new }
        }
      }
      return true
    }
  }

  /// Forgets an item that is gone, or answers no space any more.
  package func forget(_ id: ItemID) {
    copy.withLock { copy in copy.remove([id]) }
  }

  /// Forgets the copy, and wipes the key of its secrets.
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
  /// Takes items out, wherever they lie.
  fileprivate mutating func remove(_ ids: Set<ItemID>) {
    for (space, group) in groups where group.contains(where: { ids.contains($0.item.id) }) {
      let rest = group.filter { !ids.contains($0.item.id) }
      groups[space] = rest.isEmpty ? nil : rest
    }
  }

  /// Puts an item in, unless no space asks for it.
  fileprivate mutating func insert(_ item: InternetPassword) {
    guard item.isPassword, let space = item.space?.withoutMethod else { return }
    groups[space, default: []].append(sealed(item))
  }

  /// What tells the content from another one, without opening anything.
  fileprivate var revisions: [ItemID: UInt64] {
    var revisions: [ItemID: UInt64] = [:]
    for group in groups.values {
      for entry in group { revisions[entry.item.id] = entry.item.revision }
    }
    return revisions
  }
}
