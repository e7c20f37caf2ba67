import BusMessages

/// The searches of a locked vault, each of which will mean its best item once that is unlocked.
///
/// A locked vault says nothing of its items, and clients unlock only what a search has found.
struct LockedSearches {
  private var searches = ClientObjects<[String: String]>(
    prefix: ObjectPath.lockedSearches, mostOfOne: 16, most: 256, replacesOldest: true)

  /// Adds a search, in place of the client's oldest one if it has too many.
  ///
  /// - Returns: The path of this search, or of the client's same one.
  /// - Throws: ``BusError`` if all clients together have too many.
  mutating func add(
    _ attributes: [String: String], of client: String, _ programs: ClientPrograms
  ) throws(BusError) -> String {
    if let same = searches.first(of: client, where: { $0 == attributes }) { return same.path }
    return try searches.add(attributes, of: client, programs).path
  }

  /// Returns the attributes of a search; nil if it is not kept any more.
  func attributes(of path: String) -> [String: String]? { searches.object(path) }

  /// Removes the searches of a client that has left the bus.
  mutating func removeAll(of client: String) { searches.removeAll(of: client) }
}
