public import SecureMemory

/// A secret that an item had before.
public struct PreviousSecret: Sendable, Identifiable {
  /// The identity of a previous secret: no two of an item were replaced at the same time.
  public struct ID: Sendable, Hashable {
    /// The item that had the secret.
    public let item: ItemID
    /// The time at which the secret was replaced.
    public let replaced: Timestamp

    package init(item: ItemID, replaced: Timestamp) {
      self.item = item
      self.replaced = replaced
    }
  }

  /// The item that had the secret, and when it was replaced.
  public let id: ID
  /// The kind of the secret.
  public let kind: SecretKind
  /// The date when it had been set.
  public let set: Timestamp
  /// The item's expiry at the time when the secret was replaced; nil for never.
  public let expires: Timestamp?
  /// The end of the retention that a policy allows; nil for without end.
  public let keptUntil: Timestamp?
  /// The certificates that belonged to the secret.
  package let certificates: [UInt8]
  /// The secret as stores keep it: sealed, if it needs a PIN.
  package let storedSecret: Secret?

  /// Creates a previous secret from its parts, as a store reads it.
  package init(
    id: ID, kind: SecretKind, set: Timestamp, expires: Timestamp?, keptUntil: Timestamp?,
    certificates: [UInt8] = [], secret: Secret?
  ) {
    self.id = id
    self.kind = kind
    self.set = set
    self.expires = expires
    self.keptUntil = keptUntil
    self.certificates = certificates
    storedSecret = secret
  }

  /// The secret; nil if it was not requested, has expired, or needs a PIN.
  public var secret: Secret? { kind.needsPIN ? nil : storedSecret }

  /// The date when it was replaced.
  public var replaced: Timestamp { id.replaced }

  /// The number of previous secrets that an item keeps by default.
  package static let defaultLimit = 10
  /// The range of numbers of previous secrets that an item can keep.
  package static let limits = 0...100

  /// Returns whether it has expired, by the item's own time or by the policy's; such a secret is
  /// not returned.
  public func isExpired(at now: Timestamp) -> Bool {
    if let expires, expires <= now { return true }
    if let keptUntil, keptUntil <= now { return true }
    return false
  }
}

/// An item that was removed and can still be restored.
public struct RemovedItem: Sendable, Identifiable {
  /// The identity of a removed item: the same item may have been removed at several times.
  public struct ID: Sendable, Hashable {
    /// The item.
    public let item: ItemID
    /// The date when it was removed.
    public let removed: Timestamp

    package init(item: ItemID, removed: Timestamp) {
      self.item = item
      self.removed = removed
    }
  }

  /// The item's id, and the date when it was removed.
  public let id: ID
  /// The item as it was, without its secrets.
  public let item: Item
  /// The end of its retention: after the trash's days, and no later than the item itself would have
  /// been kept.
  public let restorableUntil: Timestamp

  /// Creates a removed item from its parts, as a store reads it.
  package init(id: ID, item: Item, restorableUntil: Timestamp) {
    self.id = id
    self.item = item
    self.restorableUntil = restorableUntil
  }

  /// The date when it was removed.
  public var removed: Timestamp { id.removed }

  /// The number of days for which a removed item is kept by default.
  package static let defaultDays = 30
  /// The range of numbers of days for which a vault can keep removed items.
  package static let dayLimits = 0...365
  /// The number of removed items of one key that are kept.
  package static let limitOfKey = 10
}
