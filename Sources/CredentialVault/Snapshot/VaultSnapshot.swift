import SecureMemory
import VaultCrypto
package import VaultModel
import VaultStore

/// A copy of a vault's content, for lookups that must not wait for the vault's file or its writers.
///
/// The vault's file is copied, as of the last refresh. The session is asked itself: this process's
/// own is in memory, and one that processes share is a small file of its own, whose writers a
/// lookup does wait for. The copy's secrets are sealed as the session's are, under a key that is
/// wiped when the copy is dropped.
package final class VaultSnapshot: Sendable {
  /// An item of the file, without its secret.
  struct Entry: Sendable {
    let item: Item
    let sealedSecret: [UInt8]
  }

  struct Copy: Sendable {
    /// The keys of the copy's secrets, created with the first secret.
    var keys: EpochKeys?
    /// Items by the space that they answer, with any method.
    var groups: [ProtectionSpace: [Entry]] = [:]
    var defaults: [ProtectionSpace: String] = [:]
    /// The number of times that the copy was dropped: content read before the last time is not
    /// inserted.
    var epoch: UInt64 = 0
  }

  let vault: Vault
  let copy = Lock(Copy())

  /// Creates a snapshot that has nothing of the file yet.
  package init(of vault: Vault) {
    self.vault = vault
  }

  // MARK: Looking up

  /// Returns the passwords that answer a space and have not expired, as ``Vault/candidates(_:)``
  /// orders them.
  ///
  /// - Parameter space: The space; nil for all, also those that answer none.
  /// - Returns: None if nothing matches.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/closed``; ``VaultError/Code/busy`` for
  ///   a session that processes share.
  package func candidates(for space: ProtectionSpace?) throws(VaultError) -> [Candidate] {
    try requireOpen()
    let query = space.map { ItemQuery($0) } ?? ItemQuery()
    return try vault.candidates(
      vault.session.find(query, withSecrets: true), permanent(query, in: space), query)
  }

  /// Returns the users that were set as a space's default: the session's before the file's.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/closed``; ``VaultError/Code/busy`` for
  ///   a session that processes share.
  package func defaultUsers(for space: ProtectionSpace) throws(VaultError) -> [String] {
    try requireOpen()
    let temporary = try vault.session.defaultUser(for: space)
    let permanent = copy.withLock { $0.defaults[space] }
    return [temporary, permanent].compactMap(\.self)
  }

  /// Returns the session's credentials of a user in a space, including pending ones, without
  /// secrets.
  ///
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/busy`` for a session that processes
  ///   share.
  package func sessionItems(
    of user: String, in space: ProtectionSpace
  ) throws(VaultError) -> [Item] {
    try vault.session.find(ItemQuery(space), withSecrets: false).filter { $0.isOf(user) }
  }

  private func permanent(
    _ query: ItemQuery, in space: ProtectionSpace?
  ) throws(VaultError) -> [Item] {
    lazy var now = vault.time.now()
    return try copy.withLock { (copy) throws(VaultError) in
      var found: [Item] = []
      var ranks: [Int] = []
      func take(_ group: [Entry]) throws(VaultError) {
        for entry in group {
          guard let rank = query.rank(of: entry.item),
            !entry.item.mayExpire || !entry.item.isExpired(at: now)
          else { continue }
          found.append(try copy.opened(entry))
          ranks.append(rank)
        }
      }
      if let space {
        try take(copy.groups[space.withoutMethod] ?? [])
      } else {
        for group in copy.groups.values { try take(group) }
      }
      ItemQuery.sort(&found, ranks: ranks)
      return found
    }
  }

  /// Rejects lookups through a closed vault, even if others have its file open.
  private func requireOpen() throws(VaultError) {
    guard vault.isOver else { return }
    forgetAll()
    throw VaultError(.closed, "the vault was closed")
  }
}

extension VaultSnapshot.Copy {
  typealias Entry = VaultSnapshot.Entry

  mutating func sealed(_ item: Item) -> Entry {
    guard let secret = item.storedSecret, secret.count > 0 else {
      return Entry(item: item.withoutSecrets, sealedSecret: [])
    }
    let keys = keys ?? EpochKeys(VaultKey(), ident: Ident(vaultID: VaultID(), epoch: 1))
    self.keys = keys
    return Entry(
      item: item.withoutSecrets, sealedSecret: keys.seal(secret, use: .secret, item: item.id))
  }

  func opened(_ entry: Entry) throws(VaultError) -> Item {
    var item = entry.item
    item.storedSecret = Secret("")
    if let keys, !entry.sealedSecret.isEmpty {
      item.storedSecret = try keys.open(entry.sealedSecret[...], use: .secret, item: item.id)
    }
    return item
  }
}
