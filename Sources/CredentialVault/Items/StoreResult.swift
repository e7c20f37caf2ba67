public import VaultModel

/// What became of a request to store something.
public struct StoreResult: Sendable {
  /// The item as it is now; ``InternetPassword/persistence`` says where it is kept, `none` if nowhere.
  public let item: InternetPassword
  /// What the policy granted, until when, and by which rule.
  public let decision: PersistencePolicy.Decision
  /// What has to be confirmed before it is written, or rejected; nil if the item is where it was granted to be.
  public let pending: PendingCredential?
  /// Another item beside it that differs only in the port: unset in one, and the protocol's own in the other; without its
  /// secret.
  ///
  /// Both are one credential to networking code, which takes the one whose port is literal. Nothing but adding a literal key
  /// makes such a second item; whoever stores one of them may want to delete the other.
  public internal(set) var twin: InternetPassword?

  init(
    _ item: InternetPassword, _ decision: PersistencePolicy.Decision,
    pending: PendingCredential? = nil
  ) {
    self.item = item
    self.decision = decision
    self.pending = pending
  }

  /// The same, as the answer to a request for another persistence.
  func asked(for requested: Persistence) -> StoreResult {
    var stored = StoreResult(item, decision.asked(for: requested), pending: pending)
    stored.twin = twin
    return stored
  }
}

/// A credential that is usable, in memory only, until a server has accepted or rejected it.
public struct PendingCredential: Sendable, Hashable {
  let id: ItemID
  /// How strongly it is to be kept once it is confirmed.
  public let requested: Persistence
}
