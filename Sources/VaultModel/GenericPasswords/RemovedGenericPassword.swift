/// A generic password that was removed and can still be restored, as ``RemovedItem``.
public struct RemovedGenericPassword: Sendable, Identifiable {
  /// The stores' form.
  package let removedItem: RemovedItem

  /// Creates the public form of a removed item of this class.
  package init(_ removedItem: RemovedItem) {
    self.removedItem = removedItem
  }

  /// The item's id, and the date when it was removed.
  public var id: RemovedItem.ID { removedItem.id }
  /// The item as it was, without its secrets.
  public var item: GenericPassword { GenericPassword(removedItem.item) }
  /// The end of its retention, as ``RemovedItem/end``.
  public var end: Timestamp { removedItem.end }
  /// The date when it was removed.
  public var removed: Timestamp { removedItem.removed }
}
