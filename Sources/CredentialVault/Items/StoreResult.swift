public import VaultModel

/// The result of a request to store something.
public struct StoreResult: Sendable {
  /// The item as it is now; ``Item/persistence`` says where it is kept, `none` if
  /// nowhere.
  public let item: Item
  /// The policy's decision: what it granted, until when, and by which rule.
  public let decision: PersistencePolicy.Decision
  /// The pending credential to be confirmed or rejected; nil if the item is stored as it was
  /// granted.
  public let pending: PendingCredential?
  /// Another item, without its secret, that differs only in the port: unset in one, the protocol's
  /// default in the other.
  ///
  /// Networking code treats both as one credential and uses the one whose port is literal. Only
  /// adding a literal key makes such a second item; a caller that stores one of them may want to
  /// remove the other.
  public package(set) var portVariant: Item?

  package init(
    _ item: Item, _ decision: PersistencePolicy.Decision,
    pending: PendingCredential? = nil
  ) {
    self.item = item
    self.decision = decision
    self.pending = pending
  }

  /// Returns the same result as the answer to a request for another persistence.
  func asked(for requested: Persistence) -> StoreResult {
    var stored = StoreResult(item, decision.asked(for: requested), pending: pending)
    stored.portVariant = portVariant
    return stored
  }
}

/// A credential that is usable, in memory only, until a server has accepted or rejected it.
public struct PendingCredential: Sendable, Hashable {
  let id: ItemID
  /// The persistence to request when the credential is confirmed.
  public let requested: Persistence
}
