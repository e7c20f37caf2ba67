import SecureMemory
import VaultStore
import VaultModel

extension PolicyGate {
  /// Changes an item as ``modify(_:_:revision:afterAcceptance:removal:)`` does; a new secret clears
  /// an expiry of the item's own that has passed.
  func renew(
    _ item: Item, _ changes: [ItemChange], afterAcceptance: Bool,
    removal: Removal = .recoverable
  ) throws(VaultError) -> StoreResult {
    while true {
      let known = try store(item.persistence).item(item.id, hint: item.key)
      do throws(VaultError) {
        return try modify(
          known, renewing(known, changes), revision: known.revision,
          afterAcceptance: afterAcceptance, removal: removal)
      } catch {
        // Since the lookup, another thread changed it in the session. The loop repeats only after
        // such a change.
        guard error.code == .conflict, item.persistence == .session else { throw error }
      }
    }
  }

  /// Changes the items that match, also a further condition if there is one, and returns their
  /// number.
  func renewAll(
    _ query: ItemQuery, _ changes: [ItemChange], afterAcceptance: Bool,
    removal: Removal, where accepts: ((Item) -> Bool)?
  ) throws(VaultError) -> Int {
    let all = query.withoutLimit
    var found = try all.merged(
      session.find(all, withSecrets: false), transaction?.find(all) ?? [], at: now)
    if let accepts { found.removeAll { !accepts($0) } }
    query.applyLimit(to: &found)
    beginSeries()
    for item in found {
      let result = try renew(
        item, changes, afterAcceptance: afterAcceptance, removal: removal)
      guard result.item.persistence > .none else {
        throw VaultError(
          .policyRefused, "a rule lets no credential be kept for \(item.key.subject)")
      }
    }
    endSeries()
    return found.count
  }

  /// Returns the changes of an item, so that a new secret clears an expiry of the item's own that
  /// has passed, unless they name another.
  ///
  /// A secret that the item had before is not new, and brings its own expiry along.
  func renewing(
    _ known: Item, _ changes: [ItemChange]
  ) throws(VaultError) -> [ItemChange] {
    guard let expires = known.expires, expires <= now,
      let secret = changes.lazy.compactMap(\.newSecret).last,
      !changes.contains(where: { $0.attribute == .expires })
    else { return changes }
    // The old secret expired; with its expiry the new one would never be found.
    let end = try store(known.persistence).expiry(ofPrevious: secret, of: known) ?? nil
    return changes + [.expires(end)]
  }
}

extension ItemChange {
  fileprivate var newSecret: Secret? {
    if attribute == .secret, case .secret(let secret) = value { secret } else { nil }
  }
}
