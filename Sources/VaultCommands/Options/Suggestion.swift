import VaultAdministration
import VaultModel

/// The name that a mistyped word was probably meant to be.
enum Suggestion {
  private static let longestWord = 64

  /// Returns the name that differs from a text by the fewest changes of a character.
  ///
  /// One change is near for up to four characters, two for more; a swap of neighbours is one.
  /// The text itself is never repeated, since it may be a secret; the name is one that is known.
  ///
  /// - Returns: The first of the nearest; nil if none is near.
  static func nearest(to text: String, among names: some Sequence<String>) -> String? {
    let typed = Array(text.lowercased())
    guard (2...longestWord).contains(typed.count) else { return nil }
    var (best, limit) = (String?.none, typed.count > 4 ? 2 : 1)
    for name in names {
      let known = Array(name.lowercased())
      guard abs(known.count - typed.count) <= limit, known != typed else { continue }
      let distance = distance(typed, known)
      guard distance <= limit, distance < known.count else { continue }
      (best, limit) = (name, distance - 1)
    }
    return best
  }

  /// Returns the only name that has more than a text of at least three characters; nil if several
  /// have it.
  static func only(with text: String, among names: some Sequence<String>) -> String? {
    let part = text.lowercased()
    guard (3...longestWord).contains(part.count) else { return nil }
    let found = names.filter { $0.lowercased().contains(part) }
    return found.count == 1 && found[0].lowercased() != part ? found[0] : nil
  }

  /// Returns an addition to a message: `; did you mean list?`, or nothing.
  static func question(_ text: String, among names: some Sequence<String>) -> String {
    nearest(to: text, among: names).map { "; did you mean \($0)?" } ?? ""
  }

  /// Returns the optimal string alignment distance.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var before: [Int] = []
    var last = Array(0...right.count)
    for (row, character) in left.enumerated() {
      var next = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(
          last[column + 1] + 1, next[column] + 1, last[column] + (character == other ? 0 : 1))
        if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
          cost = min(cost, before[column - 1] + 1)
        }
        next.append(cost)
      }
      (before, last) = (last, next)
    }
    return last[right.count]
  }
}

/// The host, service or user that was probably meant where nothing matches.
extension Selection {
  /// Above this many items, nothing is suggested: reading them takes longer than a lookup may.
  private static let mostItems = 20_000

  /// Returns the item of the first vault that has one, as `VaultList.first` does; the error that
  /// nothing matches says what was probably meant.
  ///
  /// - Throws: As that function.
  func first(
    in list: VaultList, _ find: (Vault) throws(VaultError) -> Item
  ) throws(VaultError) -> VaultList.Found {
    try suggesting(from: list) { () throws(VaultError) in try list.first(find) }
  }

  /// Returns the result of a lookup; the error that nothing matches says what was probably meant.
  ///
  /// - Throws: Any error of the lookup.
  func suggesting<Result>(
    from list: VaultList, _ find: () throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    do throws(VaultError) {
      return try find()
    } catch {
      throw error.code == .itemNotFound && error.candidates.isEmpty ? try notFound(in: list) : error
    }
  }

  /// Returns the error that nothing matches, with what was probably meant.
  func notFound(in list: VaultList) throws(VaultError) -> VaultError {
    let error = notFound()
    return VaultError(error.code, error.context + (try question(in: list)))
  }

  /// Returns an addition to a message: `; did you mean git.example.com?`, or nothing.
  func question(in list: VaultList) throws(VaultError) -> String {
    try suggestion(in: list).map { "; did you mean \($0)?" } ?? ""
  }

  private func suggestion(in list: VaultList) throws(VaultError) -> String? {
    guard readings.contains(where: { $0.query.server.isEqual }) else { return nil }
    var (hosts, services): (Set<String>, Set<String>) = ([], [])
    var known: [String: [Item]] = [:]
    for vault in list.vaults {
      guard try vault.maintenance.information().itemCount <= Self.mostItems else { return nil }
      for item in try vault.findAll(.everything) where !item.isInvisible {
        if item.key.itemClass == .genericPassword {
          services.insert(item.key.service)
        } else if !item.server.isUnset {
          hosts.insert(item.server.name)
          known[item.server.name, default: []].append(item)
        }
      }
    }
    for query in readings.map(\.query) {
      guard case .equals(let typed) = query.server else { continue }
      if query.itemClass == .genericPassword {
        let meant =
          Suggestion.nearest(to: typed.name, among: services.sorted())
          ?? Suggestion.only(with: typed.name, among: services)
        if let meant { return ItemText.quoted(meant) }
      } else if let items = known[typed.name] {
        if let place = Self.otherPort(query, among: items) { return place }
        guard case .equals(let user) = query.account else { continue }
        if let meant = Suggestion.nearest(to: user, among: Set(items.map(\.account)).sorted()) {
          return "\(meant)@\(typed.name)"
        }
      } else if typed.name.prefix(3).contains(".") {
        // Names of one or two letters differ on purpose.
        continue
      } else if let host = Suggestion.nearest(to: typed.name, among: hosts.sorted())
        ?? Suggestion.only(with: typed.name, among: hosts)
      {
        return host
      }
    }
    return nil
  }

  /// Returns the place of the first item that only differs in port or protocol from what was named.
  private static func otherPort(_ query: ItemQuery, among items: [Item]) -> String? {
    var elsewhere = query
    (elsewhere.port, elsewhere.protocol) = (.any, .any)
    return items.filter { query.rank(of: $0) == nil && elsewhere.rank(of: $0) != nil }.min {
      $0.key < $1.key
    }
    .map { ItemText.place($0.key) }
  }
}

extension Match {
  fileprivate var isEqual: Bool {
    if case .equals = self { true } else { false }
  }
}
