import VaultModel

/// The searches of a locked vault, each of which will mean its best item once that is unlocked.
///
/// A locked vault says nothing of its items, and clients unlock only what a search has found.
struct LockedSearches {
  private static let mostOfOne = 16
  private static let most = 256

  private var searches: [(number: UInt64, owner: String, attributes: [String: String])] = []
  private var last: UInt64 = 0

  /// Adds a search, in place of the client's oldest one if it has too many.
  ///
  /// - Returns: The number of this search, or of the client's same one.
  /// - Throws: ``VaultError/Code/tooLarge`` if all clients together have too many.
  mutating func add(
    _ attributes: [String: String], of owner: String
  ) throws(VaultError) -> UInt64 {
    let own = searches.indices.filter { searches[$0].owner == owner }
    if let same = own.first(where: { searches[$0].attributes == attributes }) {
      return searches[same].number
    }
    if own.count >= Self.mostOfOne { searches.remove(at: own[0]) }
    guard searches.count < Self.most else {
      throw VaultError(.tooLarge, "too many searches of a locked vault")
    }
    last += 1
    searches.append((last, owner, attributes))
    return last
  }

  /// Returns the attributes of a search; nil if it is not kept any more.
  func attributes(of number: UInt64) -> [String: String]? {
    searches.first { $0.number == number }?.attributes
  }

  /// Removes the searches of a client that has left the bus.
  mutating func removeAll(of owner: String) { searches.removeAll { $0.owner == owner } }
}
