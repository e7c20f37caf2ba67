/// An item that was deleted and can still be brought back.
public struct RemovedItem: Sendable, Identifiable {
  /// The identity of a removed item: the same item may have been removed at several times.
  public struct ID: Sendable, Hashable {
    /// The item.
    public let item: ItemID
    /// The date when it was deleted.
    public let removed: Timestamp

    package init(item: ItemID, removed: Timestamp) {
      self.item = item
      self.removed = removed
    }
  }

  /// The item's id, and when it was deleted.
  public let id: ID
  /// The item as it was, without its secrets.
  public let item: InternetPassword
  /// The end of its retention: after the trash's days, and no later than the item itself would have
  /// been kept.
  public let end: Timestamp

  /// Creates a removed item from its parts, as a store reads it.
  package init(id: ID, item: InternetPassword, end: Timestamp) {
    self.id = id
    self.item = item
    self.end = end
  }

  /// The date when it was deleted.
  public var removed: Timestamp { id.removed }

  /// The number of days for which a deleted item is kept by default.
  public static let defaultDays = 30
  /// The range of numbers of days for which a vault can keep deleted items.
  public static let dayLimits = 0...365
  /// The number of deleted items of one key that are kept.
  package static let limitOfKey = 10
}
