import SecureMemory
import VaultCrypto
package import VaultModel

/// Locating the entries.
extension SessionStore.State {
  typealias Entry = SessionStore.Entry

  var isEmpty: Bool { groups.isEmpty && loose.isEmpty && pending.isEmpty }

  /// Returns the space that an item answers, with any method, or nil.
  private static func space(of key: Item.Key) -> SpaceOfAnyMethod? {
    guard key.itemClass == .internetPassword else { return nil }
    do throws(VaultError) {
      return SpaceOfAnyMethod(
        try ProtectionSpace(
          host: key.server, port: key.port, protocol: key.protocol, realm: key.realm,
          authenticationMethod: .default))
    } catch {
      return nil
    }
  }

  /// Returns the entries in the same group as a key.
  private func entries(beside key: Item.Key) -> [Entry] {
    Self.space(of: key).map { groups[$0] ?? [] } ?? loose
  }

  /// Visits every stored entry.
  func visitAll<E: Error>(_ body: (Entry) throws(E) -> Void) throws(E) {
    for group in groups.values { for entry in group { try body(entry) } }
    for entry in loose { try body(entry) }
  }

  /// Visits the stored entries that may match: one group if the query names a space, else all.
  func visit(
    _ query: ItemQuery, _ body: (Entry) throws(VaultError) -> Void
  ) throws(VaultError) {
    guard query.itemClass == .internetPassword, !query.includesSubdomains,
      let server = query.server.value(unset: .unset),
      let `protocol` = query.protocol.value(unset: .unset),
      let port = query.port.value(unset: 0), let realm = query.realm.value(unset: ""),
      let space = Self.space(
        of: Item.Key(realm: realm, server: server, protocol: `protocol`, port: port))
    else {
      return try visitAll(body)
    }
    for entry in groups[space] ?? [] { try body(entry) }
  }

  /// Returns the stored entry with an id: first from the group of its last known key, then from
  /// all.
  func found(_ id: ItemID, hint: Item.Key?) -> Entry? {
    if let hint, let entry = entries(beside: hint).first(where: { $0.item.id == id }) {
      return entry
    }
    for group in groups.values {
      if let entry = group.first(where: { $0.item.id == id }) { return entry }
    }
    return loose.first { $0.item.id == id }
  }

  /// Returns whether an item here has the id, pending or not.
  func holds(_ id: ItemID) -> Bool { isPending(id) || found(id, hint: nil) != nil }

  /// Returns the stored entry with an id.
  func entry(_ id: ItemID, hint: Item.Key) throws(VaultError) -> Entry {
    if let entry = found(id, hint: hint) { return entry }
    throw isPending(id)
      ? VaultError(.invalidArgument, "the item \(id) is pending: it is confirmed or rejected first")
      : VaultError(.itemNotFound, "no item has the id \(id)")
  }

  /// Checks that no other item has a key; the error's candidates are the other item and then the
  /// item itself.
  func requireUnique(
    _ key: Item.Key, except item: Item?, at now: Moment
  ) throws(VaultError) {
    let other = entries(beside: key).first { $0.item.key == key && $0.item.id != item?.id }
    guard let other = other?.item(at: now) else { return }
    throw VaultError(
      .duplicateItem, "an item with the same key exists already",
      candidates: item.map { [other, $0] } ?? [other])
  }

  mutating func nextRevision() -> UInt64 {
    revision += 1
    return revision
  }

  mutating func insert(_ entry: Entry) {
    guard let space = Self.space(of: entry.item.key) else {
      loose.append(entry)
      return
    }
    groups[space, default: []].append(entry)
  }

  mutating func remove(_ item: Item) {
    guard let space = Self.space(of: item.key) else {
      loose.removeAll { $0.item.id == item.id }
      return
    }
    groups[space]?.removeAll { $0.item.id == item.id }
    if groups[space]?.isEmpty == true { groups[space] = nil }
  }
}

/// The events of a session's changes.
extension SessionStore.State {
  func isDefault(_ user: String?, of space: ProtectionSpace) -> Bool {
    let present = defaults[space]
    guard let user, let present else { return user == present }
    return present.utf8.elementsEqual(user.utf8)
  }

  /// The events for dropping everything.
  var removals: [VaultEvent] {
    let entries = groups.values.joined() + loose
    return entries.map { .removed(VaultEvent.Subject($0.item)) }
      + defaults.keys.map(VaultEvent.defaultChanged)
  }
}

extension SessionStore {
  /// Posts the event of a change that was made without one.
  package func note(_ event: @autoclosure () -> VaultEvent) {
    events.post(event())
  }
}

/// Sealing, opening and expiry of entries.
extension SessionStore.State {
  mutating func sealed(_ item: Item, at now: Moment) -> Entry {
    let keys = keys ?? EpochKeys(VaultKey(), ident: Ident(vaultID: VaultID(), epoch: 1))
    self.keys = keys
    var entry = Entry(
      item: item.withoutSecrets, changed: now.session(of: item.secretChanged),
      deadline: item.keptUntil.map(now.session(of:)), accountDomain: item.accountDomain)
    if let secret = item.storedSecret, secret.count > 0 {
      entry.sealedSecret = keys.seal(secret, use: .secret, item: item.id)
    }
    for attribute in Attribute.furtherSecrets {
      entry.furtherSecrets[attribute] = item[secret: attribute].map {
        keys.seal($0, use: SecretUse(attribute), item: item.id)
      }
    }
    return entry
  }

  func open(secret sealed: [UInt8], of id: ItemID) throws(VaultError) -> Secret {
    guard let keys, !sealed.isEmpty else { return Secret("") }
    return try keys.open(sealed[...], use: .secret, item: id)
  }

  /// Returns the item with its secrets, unless it has expired.
  func opened(_ entry: Entry, at now: Moment) throws(VaultError) -> Item {
    entry.isExpired(at: now) ? entry.item(at: now) : try unsealed(entry, at: now)
  }

  /// Returns the item with its secrets, expired or not: for the store itself and for moves.
  func unsealed(_ entry: Entry, at now: Moment) throws(VaultError) -> Item {
    var item = entry.item(at: now)
    item.storedSecret = try open(secret: entry.sealedSecret, of: item.id)
    for (attribute, sealed) in entry.furtherSecrets {
      item[secret: attribute] = try keys?.open(
        sealed[...], use: SecretUse(attribute), item: item.id)
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

  /// Returns whether the item has expired, and no refresh token can renew it.
  func isOver(at now: Moment) -> Bool {
    isExpired(at: now) && !item(at: now).isRenewable(at: now.day)
  }

  /// Returns the item for a caller, without its secrets.
  func item(at now: Moment) -> Item {
    var item = item
    item.secretChanged = now.day(of: changed, known: item.secretChanged)
    if let deadline, let known = item.keptUntil {
      item.keptUntil = now.day(of: deadline, known: known)
    }
    return item
  }
}
