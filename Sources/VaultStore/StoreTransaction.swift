package import SecureMemory
package import VaultModel

/// Something that answers queries over items and defaults: a store, or a transaction over one.
///
/// All answer alike. It knows no policy, and returns no expired secret.
package protocol StoreReader {
  /// Returns the matching items, in the query's order; secrets are opened only if requested.
  ///
  /// An expired item never has its secrets.
  func find(_ query: ItemQuery, withSecrets: Bool) throws(VaultError) -> [Item]

  /// Returns the previous secrets of an item, the newest first; they are opened only if requested.
  ///
  /// An expired one never has its secret.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  func history(
    of id: ItemID, hint: Item.Key, withSecrets: Bool
  ) throws(VaultError) -> [PreviousSecret]

  /// Returns one previous secret of an item, opened unless it has expired, without opening others.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``, for the item or for the previous secret;
  ///   ``VaultError/Code/damaged``.
  func previousSecret(
    _ id: PreviousSecret.ID, hint: Item.Key
  ) throws(VaultError) -> PreviousSecret

  /// Returns the default user of a space, or nil if it has none.
  func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String?

  /// Returns all defaults.
  func defaults() throws(VaultError) -> [ProtectionSpace: String]
}

/// Changes of items and defaults: of the sealed file within one write transaction, or of the
/// session, each effective at once.
///
/// Both behave alike; one conformance suite runs against each. A store knows no policy: it keeps
/// items as long as it is told. `PolicyGate` decides.
package protocol StoreTransaction: StoreReader {
  /// Returns the items that match, without their secrets; pending ones, which are neither changed
  /// nor moved, are not included.
  func stored(_ query: ItemQuery) throws(VaultError) -> [Item]

  /// Returns the item with a key, without its secret; nil if there is none but a pending one.
  func stored(_ key: Item.Key) throws(VaultError) -> Item?

  /// Returns the item with an id, without its secret.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  func item(_ id: ItemID, hint: Item.Key) throws(VaultError) -> Item

  /// Adds an item, created now, and returns it as stored, with its secret.
  ///
  /// It is kept until the given item's ``Item/keptUntil``.
  ///
  /// - Throws: ``VaultError/Code/duplicateItem`` with the item of the same key;
  ///   ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge`` for attributes out of
  ///   bounds.
  func add(_ item: Item) throws(VaultError) -> Item

  /// Changes the named attributes of an item; the others are kept, and equal values change nothing.
  ///
  /// A replaced secret becomes the newest of the item's ``history(of:hint:withSecrets:)``, unless
  /// it is empty. A secret that is set again leaves the history, and the oldest one leaves it when
  /// there are too many. A secret that is set again is not new: it keeps its age and retention, and
  /// its earlier expiry, unless another expiry is named.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - hint: The last known key of the item.
  ///   - changes: Applied in order; the last of two for one attribute counts.
  ///   - revision: The revision that the item must have; nil for any.
  ///   - place: Returns where the changed item belongs, and until when; not called if nothing
  ///     changes. It gets the item without its secrets, with the new
  ///     ``Item/secretChanged``: now if the secret is a different one, and the time
  ///     when it was first set if it is set again. It must not call the store.
  /// - Returns: The current item, or its state elsewhere.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/conflict`` with the current item
  ///   if it has another revision; ``VaultError/Code/duplicateItem`` with the other item and this
  ///   one if another has the new key; the errors of `place`.
  func modify(
    _ id: ItemID, hint: Item.Key, _ changes: [ItemChange], revision: UInt64?,
    place: (Item) throws(VaultError) -> Placement
  ) throws(VaultError) -> Modified

  /// Removes an item and its previous secrets; the file moves them to its trash.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - hint: The last known key of the item.
  ///   - revision: The revision that the item must have; nil for any.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/conflict`` with the current item
  ///   if it has another revision.
  func remove(_ id: ItemID, hint: Item.Key, revision: UInt64?) throws(VaultError)

  /// Returns when a secret that an item had before expires by the item's own time; nil if the item
  /// never had it.
  func expiry(
    ofPrevious secret: Secret, of item: Item
  ) throws(VaultError) -> Timestamp??

  /// Caps each previous secret's retention at `end(setDate)`.
  ///
  /// Secrets whose retention has ended are dropped.
  func limitHistory(
    of item: Item, _ end: (Timestamp) -> Timestamp?
  ) throws(VaultError)

  /// Removes an item and returns it with its secrets, expired or not, for another store.
  ///
  /// Its previous secrets are dropped.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  func take(_ id: ItemID, hint: Item.Key) throws(VaultError) -> Item

  /// Adds an item unchanged, with all its times and its retention; only its revision is the
  /// store's.
  ///
  /// It also keeps its id, unless another item has that by now.
  ///
  /// - Returns: The stored item, without its secrets.
  /// - Throws: ``VaultError/Code/duplicateItem`` with the item of the same key.
  @discardableResult
  func put(_ item: Item) throws(VaultError) -> Item

  /// Makes a user the default of a space; nil clears it.
  func setDefaultUser(_ user: String?, for space: ProtectionSpace) throws(VaultError)
}

extension StoreTransaction {
  /// Changes an item where it is, for as long as it was to be kept before.
  ///
  /// - Returns: The changed item, without its secrets.
  /// - Throws: As ``modify(_:hint:_:revision:place:)``.
  package func modify(
    _ id: ItemID, hint: Item.Key, _ changes: [ItemChange], revision: UInt64? = nil
  ) throws(VaultError) -> Item {
    try modify(id, hint: hint, changes, revision: revision) { .here(until: $0.keptUntil) }.item
  }
}

extension ItemChange {
  /// Whether it changes the item's own expiry.
  package var isOfExpiry: Bool { attribute == .expires }
}

extension Timestamp {
  /// Returns the earlier of two ends; nil means no end.
  package static func earliest(_ one: Timestamp?, _ other: Timestamp?) -> Timestamp? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}

/// The place of a changed item.
package enum Placement: Sendable, Hashable {
  /// The same store, until this time; nil without end.
  case here(until: Timestamp?)
  /// Another store; this one keeps the item unchanged.
  case elsewhere
}

/// The result of a change.
package struct Modified: Sendable {
  /// The current item, without its secrets; if it belongs elsewhere, its state there, with them.
  package let item: Item
  /// Whether the store has ``item``.
  package let isHere: Bool
  /// Whether it is here with a different key than before.
  package var isRenamed = false
  /// Whether it is here with another secret than before.
  package var isReplaced = false

  package init(
    item: Item, isHere: Bool, isRenamed: Bool = false, isReplaced: Bool = false
  ) {
    self.item = item
    self.isHere = isHere
    self.isRenamed = isRenamed
    self.isReplaced = isReplaced
  }
}

extension Item {
  /// Checks that nobody has changed the item since a revision; nil means any.
  ///
  /// - Throws: ``VaultError/Code/conflict`` with the item.
  package func require(revision known: UInt64?) throws(VaultError) {
    guard let known, known != revision else { return }
    throw VaultError(
      .conflict, "the item \(id) has revision \(revision), not \(known)", candidates: [self])
  }

  /// Returns whether both secrets have the same bytes; a missing one equals an empty one.
  package func hasSameSecret(as other: Item) -> Bool {
    switch (storedSecret, other.storedSecret) {
    case (let mine?, let theirs?): mine.isEqual(to: theirs)
    case (let one?, nil), (nil, let one?): one.count == 0
    case (nil, nil): true
    }
  }
}
