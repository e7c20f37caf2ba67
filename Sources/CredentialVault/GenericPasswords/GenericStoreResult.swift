public import VaultModel

/// The result of a request to store a generic password, as ``StoreResult``.
public struct GenericStoreResult: Sendable {
  private let result: StoreResult

  init(_ result: StoreResult) {
    self.result = result
  }

  /// The item as it is now; ``GenericPassword/persistence`` says where it is kept, `none` if
  /// nowhere.
  public var item: GenericPassword { GenericPassword(result.item) }
  /// The policy's decision: what it granted, until when, and by which rule.
  public var decision: PersistencePolicy.Decision { result.decision }
  /// The pending credential to be confirmed or rejected; nil if the item is stored as it was
  /// granted.
  public var pending: PendingCredential? { result.pending }
}
