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

  /// Returns an addition to a message: `; did you mean list?`, or nothing.
  static func question(_ text: String, among names: some Sequence<String>) -> String {
    nearest(to: text, among: names).map { "; did you mean \($0)?" } ?? ""
  }

  /// The optimal string alignment distance.
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
