public import VaultModel

/// Something that is kept although the policy would no longer grant it.
public struct PolicyExcess: Sendable {
  /// The kind of thing that is kept.
  public enum Kind: String, Sendable {
    /// An item of the session or the file.
    case item
    /// A secret that an item had before.
    case previousSecret = "previous-secret"
    /// An item that was removed and is kept so that it can be brought back.
    case removedItem = "removed-item"
    /// The default user of a space.
    case defaultUser = "default"
  }

  /// The change that ``VaultPolicy/apply()`` makes.
  public enum Remedy: Sendable, Hashable {
    /// It is kept in memory only.
    case moveToSession
    /// It is removed.
    case remove
    /// It is kept for a shorter time.
    case shorten(Timestamp)
  }

  /// The kind of thing that is kept.
  public let kind: Kind
  /// The identity of the item, of a removed item, or of the item to which a previous secret
  /// belongs; nil for a default.
  public let id: ItemID?
  /// The item's key; the key of a default names the space and the user.
  public let key: InternetPassword.Key
  /// The persistence that it has.
  public let persistence: Persistence
  /// The rule that it exceeds.
  public let rule: PersistencePolicy.Rule
  /// The change that applying the policy makes.
  public let remedy: Remedy

  /// The space that the key answers; nil without a server.
  public var space: ProtectionSpace? { key.space }
}
