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
