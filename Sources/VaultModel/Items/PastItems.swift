public import SecureMemory

/// A secret that an item had before.
public struct PreviousSecret: Sendable, Identifiable {
  /// What names a previous secret: no two of an item were replaced at the same time.
  public struct ID: Sendable, Hashable {
    /// The item that had the secret.
    public let item: ItemID
    /// When the secret was replaced.
    public let replaced: Timestamp

    package init(item: ItemID, replaced: Timestamp) {
      self.item = item
      self.replaced = replaced
    }
  }

  /// Whose secret it was, and when it was replaced.
  public let id: ID
  /// What the secret is.
  public let kind: SecretKind
  /// When it had been set.
  public let set: Timestamp
  /// When the item would have expired, as it said when the secret was replaced; nil for never.
  public let expires: Timestamp?
  /// Until when a policy lets the secret be kept; nil for without end.
  public let keptUntil: Timestamp?
  /// The secret; nil if it was not asked for, or has expired.
  public let secret: Secret?

  /// Makes a previous secret of its parts, as a store reads it.
  package init(
    id: ID, kind: SecretKind, set: Timestamp, expires: Timestamp?, keptUntil: Timestamp?,
    secret: Secret?
  ) {
    self.id = id
    self.kind = kind
    self.set = set
    self.expires = expires
    self.keptUntil = keptUntil
    self.secret = secret
  }

  /// When it was replaced.
  public var replaced: Timestamp { id.replaced }

  /// How many previous secrets an item keeps unless something else was chosen.
  public static let defaultLimit = 10
  /// How many previous secrets an item can be made to keep.
  public static let limits = 0...100

  /// Whether it has expired, by the item's own time or by the policy's; such a secret is not handed out.
  public func isExpired(at now: Timestamp) -> Bool {
    if let expires, expires <= now { return true }
    if let keptUntil, keptUntil <= now { return true }
    return false
  }
}

/// An item that was deleted and can still be brought back.
public struct RemovedItem: Sendable, Identifiable {
  /// What names a removed item: an id that was removed twice was so at two times.
  public struct ID: Sendable, Hashable {
    /// The item.
    public let item: ItemID
    /// When it was deleted.
    public let removed: Timestamp

    package init(item: ItemID, removed: Timestamp) {
      self.item = item
      self.removed = removed
    }
  }

  /// Which item it was, and when it was deleted.
  public let id: ID
  /// The item as it was, without its secrets.
  public let item: InternetPassword
  /// Until when it can be brought back: so many days, and no longer than the item itself would have been kept.
  public let end: Timestamp

  /// Makes a removed item of its parts, as a store reads it.
  package init(id: ID, item: InternetPassword, end: Timestamp) {
    self.id = id
    self.item = item
    self.end = end
  }

  /// When it was deleted.
  public var removed: Timestamp { id.removed }

  /// For how many days a deleted item is kept unless something else was chosen.
  public static let defaultDays = 30
  /// For how many days a vault can be made to keep deleted items.
  public static let dayLimits = 0...365
  /// How many deleted items of one key are kept.
  package static let limitOfKey = 10
}
