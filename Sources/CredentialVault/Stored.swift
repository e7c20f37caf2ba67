public import VaultModel

/// What became of a request to store something.
public struct Stored: Sendable {
  /// The item as it is now; ``InternetPassword/persistence`` says where it is kept, `none` if nowhere.
  public let item: InternetPassword
  /// What the policy granted, until when, and by which rule.
  public let decision: PersistencePolicy.Decision
  /// What has to be confirmed before it is written, or rejected; nil if the item is where it was granted to be.
  public let pending: PendingCredential?

  init(
    _ item: InternetPassword, _ decision: PersistencePolicy.Decision,
    pending: PendingCredential? = nil
  ) {
    self.item = item
    self.decision = decision
    self.pending = pending
  }
}

/// A credential that is usable, in memory only, until a server has accepted or rejected it.
public struct PendingCredential: Sendable, Hashable {
  let id: ItemID
  /// How strongly it is to be kept once it is confirmed.
  public let requested: Persistence
}
