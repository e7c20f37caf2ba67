package import SecureMemory
package import VaultModel

/// Something that answers queries over items and defaults: a store, or a transaction over one.
///
/// All answer alike. It knows no policy, and hands out no secret of what has expired.
package protocol StoreReader {
  /// The items that match, in the query's order; secrets are opened only if asked for.
  ///
  /// An item that has expired comes without its secrets, whether they are asked for or not.
  func find(_ query: ItemQuery, secrets: Bool) throws(VaultError) -> [InternetPassword]

  /// The secrets that an item had before, the newest first; they are opened only if asked for.
  ///
  /// One that has expired comes without its secret, whether it is asked for or not.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  func history(
    of id: ItemID, hint: InternetPassword.Key, secrets: Bool
  ) throws(VaultError) -> [PreviousSecret]

  /// One secret that an item had before, opened unless it has expired; no other one is.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``, for the item or for the previous secret; ``VaultError/Code/damaged``.
  func previousSecret(
    _ id: PreviousSecret.ID, hint: InternetPassword.Key
  ) throws(VaultError) -> PreviousSecret

  /// The default user of a space, or nil if it has none.
  func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String?

  /// All defaults.
  func defaults() throws(VaultError) -> [ProtectionSpace: String]
}

/// The changes of a store of items and defaults: the sealed file's within one write transaction, or the session's, of which
/// each counts at once.
///
/// Both answer alike; one conformance suite is run against each. It knows no policy: a store keeps what it is told for as
/// long as it is told. The decision is above it.
package protocol StoreTransaction: StoreReader {
  /// The items that match, without their secrets; nothing that is pending, which is neither changed nor moved.
  func stored(_ query: ItemQuery) throws(VaultError) -> [InternetPassword]

  /// The item with an id, without its secret.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  func item(_ id: ItemID, hint: InternetPassword.Key) throws(VaultError) -> InternetPassword

  /// Adds an item, created now, and returns it as stored, with its secret.
  ///
  /// It is kept until the given item's ``InternetPassword/keptUntil``.
  ///
  /// - Throws: ``VaultError/Code/duplicateItem`` with the item of the same key;
  ///   ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge`` for attributes out of bounds.
  func add(_ item: InternetPassword) throws(VaultError) -> InternetPassword

  /// Changes what is named of an item; what is not named is kept, and equal values change nothing.
  ///
  /// A secret that is replaced becomes the newest of the item's ``history(of:hint:secrets:)``, unless it is empty. One that
  /// comes back leaves the history, and the oldest one leaves it when there are too many. One that comes back is no new one:
  /// it is as old as it was, is kept no longer than it was to be, and brings its expiry along if that is earlier and no other
  /// one is named.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - hint: The key under which the item was last seen.
  ///   - changes: Applied in order; the last of two to one attribute wins.
  ///   - revision: The revision that the item must have; nil for any.
  ///   - place: Says where the changed item belongs, and until when; not called if nothing changes. It gets the item
  ///     without its secrets, with ``InternetPassword/secretChanged`` as it will be: now if the secret is another one, and when
  ///     it had been set if it comes back.
  ///     It must not call the store.
  /// - Returns: The item as it is now, or as it would be elsewhere.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/conflict`` with the item as it is if it has another
  ///   revision; ``VaultError/Code/duplicateItem`` with the other item and this one if another has the new key, and
  ///   what `place` throws.
  func modify(
    _ id: ItemID, hint: InternetPassword.Key, _ changes: [ItemChange], revision: UInt64?,
    place: (InternetPassword) throws(VaultError) -> Placement
  ) throws(VaultError) -> Modified

  /// Removes an item, and the secrets that it had before; the file leaves them in its trash.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - hint: The key under which the item was last seen.
  ///   - revision: The revision that the item must have; nil for any.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/conflict`` with the item as it is if it has another
  ///   revision.
  func remove(_ id: ItemID, hint: InternetPassword.Key, revision: UInt64?) throws(VaultError)

  /// When a secret that an item had before expires by the item's own time; nil if the item never had it.
  func expiry(
    ofPrevious secret: Secret, of item: InternetPassword
  ) throws(VaultError) -> Timestamp??

  /// Lets the secrets that an item had before be kept no longer than `end` says of when each had been set.
  ///
  /// What is over by now goes.
  func limitHistory(
    of item: InternetPassword, _ end: (Timestamp) -> Timestamp?
  ) throws(VaultError)

  /// Removes an item and hands it over with its secrets, expired or not, for another store.
  ///
  /// The secrets that it had before are forgotten.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  func take(_ id: ItemID, hint: InternetPassword.Key) throws(VaultError) -> InternetPassword

  /// Adds an item as it is, with all its times, and kept until when it was; only its revision is the store's.
  ///
  /// It keeps its id, too, unless another item has that by now.
  ///
  /// - Returns: The item as it is now, without its secrets.
  /// - Throws: ``VaultError/Code/duplicateItem`` with the item of the same key.
  @discardableResult
  func put(_ item: InternetPassword) throws(VaultError) -> InternetPassword

  /// Makes a user the default of a space; nil clears it.
  func setDefaultUser(_ user: String?, for space: ProtectionSpace) throws(VaultError)
}

extension StoreTransaction {
  /// Changes an item where it is, for as long as it was to be kept before.
  ///
  /// - Returns: The item as it is now, without its secrets.
  /// - Throws: As ``modify(_:hint:_:revision:place:)``.
  package func modify(
    _ id: ItemID, hint: InternetPassword.Key, _ changes: [ItemChange], revision: UInt64? = nil
  ) throws(VaultError) -> InternetPassword {
    try modify(id, hint: hint, changes, revision: revision) { .here(until: $0.keptUntil) }.item
  }

  /// Changes an item, whatever its revision.
  ///
  /// - Throws: As ``modify(_:hint:_:revision:place:)``.
  package func modify(
    _ id: ItemID, hint: InternetPassword.Key, _ changes: [ItemChange],
    place: (InternetPassword) throws(VaultError) -> Placement
  ) throws(VaultError) -> Modified {
    try modify(id, hint: hint, changes, revision: nil, place: place)
  }

  /// Removes an item, whatever its revision.
  ///
  /// - Throws: As ``remove(_:hint:revision:)``.
  package func remove(_ id: ItemID, hint: InternetPassword.Key) throws(VaultError) {
    try remove(id, hint: hint, revision: nil)
  }
}

extension ItemChange {
  /// Whether it names the item's own expiry.
  package var isOfExpiry: Bool { if case .expires = self { true } else { false } }
}

extension Timestamp {
  /// The earlier of two ends, of which nil is none.
  package static func earliest(_ one: Timestamp?, _ other: Timestamp?) -> Timestamp? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}

/// Where a changed item belongs.
package enum Placement: Sendable, Hashable {
  /// In the store that it is in, until then; nil for without end.
  case here(until: Timestamp?)
  /// Not in this store, which keeps the item as it was.
  case elsewhere
}

/// What became of a change.
package struct Modified: Sendable {
  /// The item as it is now, without its secrets; if it belongs elsewhere, as it would be, with them.
  package let item: InternetPassword
  /// Whether the store has it as ``item`` says.
  package let isHere: Bool
  /// Whether it is here under another key than before.
  package var isRenamed = false

  package init(item: InternetPassword, isHere: Bool, isRenamed: Bool = false) {
    self.item = item
    self.isHere = isHere
    self.isRenamed = isRenamed
  }
}

extension InternetPassword {
  /// Checks that nobody has changed the item since it had that revision; nil is any.
  ///
  /// - Throws: ``VaultError/Code/conflict`` with the item.
  package func require(revision known: UInt64?) throws(VaultError) {
    guard let known, known != revision else { return }
    throw VaultError(
      .conflict, "the item \(id) has revision \(revision), not \(known)", candidates: [self])
  }

  /// Whether both secrets have the same bytes; an absent one is an empty one.
  package func hasSameSecret(as other: InternetPassword) -> Bool {
    switch (secret, other.secret) {
    case (let mine?, let theirs?): mine.isEqual(to: theirs)
    case (let one?, nil), (nil, let one?): one.count == 0
    case (nil, nil): true
    }
  }
}
