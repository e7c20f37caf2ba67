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
