public import VaultModel

/// Something that is kept although the policy would not grant it any more.
public struct PolicyExcess: Sendable {
  /// What it is.
  public enum Kind: String, Sendable {
    /// An item of the session or the file.
    case item
    /// A secret that an item had before.
    case previousSecret = "previous-secret"
    /// An item that was removed and is kept to be brought back.
    case removedItem = "removed-item"
    /// A space's choice among its users.
    case defaultUser = "default"
  }

  /// What ``VaultPolicy/apply()`` does with it.
  public enum Remedy: Sendable, Hashable {
    /// It is kept in memory from then on.
    case moveToSession
    /// It is forgotten.
    case remove
    /// It is kept for a shorter time.
    case shorten(Timestamp)
  }

  /// What it is.
  public let kind: Kind
  /// The identity of the item, also of one that was removed or that a previous secret belongs to; nil for a default.
  public let id: ItemID?
  /// The item's key; that of a default names the space and the user.
  public let key: InternetPassword.Key
  /// Where it is kept.
  public let persistence: Persistence
  /// The rule that it exceeds.
  public let rule: PersistencePolicy.Rule
  /// What applying the policy does with it.
  public let remedy: Remedy

  /// The space that the key answers; nil without a server.
  public var space: ProtectionSpace? { key.space }
}
