import SecureMemory
import VaultModel
import VaultSession

extension PolicyGate {
  /// Changes an item as ``modify(_:_:revision:isAccepted:)`` does; a new secret ends an expiry of the item's own that has
  /// passed.
  func renew(
    _ item: InternetPassword, _ changes: [ItemChange], isAccepted: Bool
  ) throws(VaultError) -> StoreResult {
    while true {
      let known = try store(item.persistence).item(item.id, hint: item.key)
      do throws(VaultError) {
        return try modify(
          known, renewing(known, changes), revision: known.revision, isAccepted: isAccepted)
      } catch {
        // Another thread changed it in the session since it was looked for; each turn is one of theirs.
        guard error.code == .conflict, item.persistence == .session else { throw error }
      }
    }
  }

  /// The changes of an item; a new secret ends an expiry of the item's own that has passed, unless they name another.
  ///
  /// One that the item had before is no new one, and brings its own expiry along.
  func renewing(
    _ known: InternetPassword, _ changes: [ItemChange]
  ) throws(VaultError) -> [ItemChange] {
    guard let expires = known.expires, expires <= now,
      let secret = changes.lazy.compactMap(\.newSecret).last,
      !changes.contains(where: { if case .expires = $0 { true } else { false } })
    else { return changes }
    // What expired was the old secret; the new one would never be found.
    let end = try store(known.persistence).expiry(ofPrevious: secret, of: known) ?? nil
    return changes + [.expires(end)]
  }
}

extension ItemChange {
  fileprivate var newSecret: Secret? { if case .secret(let secret) = self { secret } else { nil } }
}
