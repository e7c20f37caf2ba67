import VaultModel
import VaultStorage

extension Enforcer {
  /// Changes an item as ``modify(_:_:revision:isAccepted:)`` does; a new secret ends an expiry of the item's own that has
  /// passed.
  func renew(
    _ item: InternetPassword, _ changes: [ItemChange], isAccepted: Bool
  ) throws(VaultError) -> Stored {
    while true {
      let known = try store(item.persistence).item(item.id, hint: item.key)
      do throws(VaultError) {
        return try modify(
          known, changes.renewing(known, at: now), revision: known.revision, isAccepted: isAccepted)
      } catch {
        // Another thread changed it in the session since it was looked for; each turn is one of theirs.
        guard error.code == .conflict, item.persistence == .session else { throw error }
      }
    }
  }
}

extension [ItemChange] {
  /// The changes of an item; a new secret ends an expiry of the item's own that has passed, unless they name another.
  func renewing(_ known: InternetPassword, at now: Timestamp) -> [ItemChange] {
    guard let expires = known.expires, expires <= now,
      contains(where: { if case .secret = $0 { true } else { false } }),
      !contains(where: { if case .expires = $0 { true } else { false } })
    else { return self }
    // What expired was the old secret; the new one would never be found.
    return self + [.expires(nil)]
  }
}
