import SecureMemory
import VaultCrypto
import VaultModel

/// Sealing, opening and expiry of entries.
extension SessionStore.State {
  mutating func sealed(_ item: InternetPassword, at now: Moment) -> Entry {
    let keys = keys ?? EpochKeys(VaultKey(), ident: Ident(vaultID: VaultID(), epoch: 1))
    self.keys = keys
    var entry = Entry(
      item: item.withoutSecrets, changed: now.session(of: item.secretChanged),
      deadline: item.keptUntil.map(now.session(of:)), accountDomain: item.accountDomain)
    if let secret = item.storedSecret, secret.count > 0 {
      entry.sealedSecret = keys.seal(secret, use: .secret, item: item.id)
    }
    if let token = item.refreshToken {
      entry.sealedRefreshToken = keys.seal(token, use: .refreshToken, item: item.id)
    }
    return entry
  }

  func open(secret sealed: [UInt8], of id: ItemID) throws(VaultError) -> Secret {
    guard let keys, !sealed.isEmpty else { return Secret("") }
    return try keys.open(sealed[...], use: .secret, item: id)
  }

  /// Returns the item with its secrets, unless it has expired.
  func opened(_ entry: Entry, at now: Moment) throws(VaultError) -> InternetPassword {
    entry.isExpired(at: now) ? entry.item(at: now) : try unsealed(entry, at: now)
  }

  /// Returns the item with its secrets, expired or not: for the store itself and for moves.
  func unsealed(_ entry: Entry, at now: Moment) throws(VaultError) -> InternetPassword {
    var item = entry.item(at: now)
    item.storedSecret = try open(secret: entry.sealedSecret, of: item.id)
    if let keys, !entry.sealedRefreshToken.isEmpty {
      item.refreshToken = try keys.open(
        entry.sealedRefreshToken[...], use: .refreshToken, item: item.id)
    }
    return item
  }
}

extension SessionStore.Entry {
  /// Returns whether the item has expired, by its own time of day or by the session's time.
  func isExpired(at now: Moment) -> Bool {
    if let expires = item.expires, expires <= now.day { return true }
    if let deadline, deadline <= now.session { return true }
    return false
  }

  /// Returns the item for a caller, without its secrets.
  func item(at now: Moment) -> InternetPassword {
    var item = item
    item.secretChanged = now.day(of: changed, known: item.secretChanged)
    if let deadline, let known = item.keptUntil {
      item.keptUntil = now.day(of: deadline, known: known)
    }
    return item
  }
}
