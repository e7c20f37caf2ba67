import SecureMemory
import VaultStore
import VaultModel

/// Changes of items that are looked up in the same step.
extension PolicyGate {
  /// Changes the item of the same key, or else of the same place, to match the given one, or adds
  /// it.
  func upsert(
    _ item: Item, requested: Persistence, afterAcceptance: Bool
  ) throws(VaultError) -> StoreResult {
    let decision = try decide(
      item.key, requested: requested, since: now, needsPIN: item.needsPIN)
    guard decision.granted > .none else { return try storeNothing(item, decision) }
    while true {
      let known = try stored(item.key, in: [decision.granted, requested])
      do throws(VaultError) {
        guard let known else {
          return try add(item, requested: requested, afterAcceptance: afterAcceptance)
        }
        let changes = try renewing(known, changes(from: item))
        return try modify(known, changes, afterAcceptance: afterAcceptance).asked(for: requested)
      } catch {
        // Since the lookup, another thread added the item to the session or removed it there. The
        // loop repeats only after such a change.
        guard (known?.persistence ?? decision.granted) == .session,
          error.code == (known == nil ? .duplicateItem : .itemNotFound)
        else { throw error }
      }
    }
  }

  /// Returns the item with a key in the first place that has one; the fallback is the item of the
  /// equivalent key with the other port.
  private func stored(
    _ key: Item.Key, in places: [Persistence]
  ) throws(VaultError) -> Item? {
    for key in [key, key.withOtherPort].compactMap(\.self) {
      for place in places {
        if let known = try store(place).stored(key) { return known }
      }
    }
    return nil
  }

  /// Returns an item's attributes as changes of the item with the same key.
  private func changes(from new: Item) -> [ItemChange] {
    var changes = new.custom.map { ItemChange.custom($0, $1) }
    for attribute in Attribute.all
    where !attribute.isOfKey && !attribute.isReadOnly && attribute != .custom {
      if let value = new[attribute] { changes.append(ItemChange(attribute, value)) }
    }
    // A new secret is a password unless the item says otherwise, and has its own certificates.
    if new.storedSecret != nil {
      changes.append(.secretKind(new.secretKind))
      changes += Self.certificates(new.certificates, of: new.key)
    }
    // A copy that is sealed stays sealed.
    return new.needsPIN ? ItemChange.withPIN(changes) : changes
  }

  /// Returns the change to the certificates that belong to a secret, for items that have any.
  private static func certificates(
    _ der: [UInt8], of key: Item.Key
  ) -> [ItemChange] {
    Attribute.certificates.isOf(key.itemClass) ? [.certificates(der)] : []
  }

  /// Restores a secret that an item had before, the newest unless one is named.
  func revert(
    _ item: Item, to id: PreviousSecret.ID?, revision: UInt64?, afterAcceptance: Bool
  ) throws(VaultError) -> StoreResult {
    let place = try store(item.persistence)
    while true {
      let known = try place.item(item.id, hint: item.key)
      try known.require(revision: revision)
      let newest = try place.history(of: known.id, hint: known.key, withSecrets: false).first?.id
      guard let chosen = id ?? newest, chosen.item == known.id else {
        throw VaultError(.itemNotFound, "the item \(item.id) has no such previous secret")
      }
      do throws(VaultError) {
        let previous = try place.previousSecret(chosen, hint: known.key)
        // A rule that was added later also counts from the date when the secret was set.
        let end = try policy().decide(known.key, requested: item.persistence, now: previous.set)
          .expires
        guard let secret = previous.storedSecret, end.map({ $0 > now }) ?? true else {
          throw VaultError(.expired, "the previous secret has expired", candidates: [known])
        }
        let changes =
          [.secret(secret), .secretKind(previous.kind), .expires(previous.expires)]
          + Self.certificates(previous.certificates, of: known.key)
        return try modify(
          known, previous.kind.needsPIN ? ItemChange.withPIN(changes) : changes,
          revision: known.revision, afterAcceptance: afterAcceptance)
      } catch {
        // Since its history was read, another thread changed the item in the session, and another
        // secret is the newest. Within the file's transaction nobody can: a contradiction there
        // would repeat for ever.
        guard item.persistence == .session,
          error.code == .conflict || error.code == .itemNotFound && id == nil
        else { throw error }
      }
    }
  }

  // MARK: Removing

  /// Removes the one item that matches best in the session and the file.
  func removeUnique(
    _ query: ItemQuery, removal: Removal
  ) throws(VaultError) -> Item {
    let query = query.withoutLimit
    let temporary = try session.find(query, withSecrets: false)
    let found = try query.merged(temporary, file().find(query), at: now)
    let item = try query.unique(among: found, at: now)
    try remove(item, removal)
    return item
  }

  /// Removes the items that match, also a further condition if there is one, and returns their
  /// number.
  func removeAll(
    _ query: ItemQuery, removal: Removal, where accepts: ((Item) -> Bool)? = nil
  ) throws(VaultError) -> Int {
    let all = query.withoutLimit
    var found = try session.own.pending(matching: all) + session.stored(all)
    found += try transaction?.find(all) ?? []
    if let accepts { found.removeAll { !accepts($0) } }
    if query.limit != nil {
      ItemQuery.sort(&found, ranks: found.map { query.rank(of: $0, at: now) ?? 0 })
      query.applyLimit(to: &found)
    }
    var count = 0
    for item in found {
      do throws(VaultError) {
        try remove(item, removal)
        count += 1
      } catch {
        // Since the lookup, another thread removed it in the session.
        guard error.code == .itemNotFound, item.persistence == .session else { throw error }
      }
    }
    return count
  }

  private func remove(_ item: Item, _ removal: Removal) throws(VaultError) {
    guard item.persistence == .session else {
      return try file().remove(item.id, hint: item.key, removal: removal)
    }
    guard try !session.own.isPending(item.id) else { return try dropPending(item.id) }
    try removeFromSession(item)
  }
}
