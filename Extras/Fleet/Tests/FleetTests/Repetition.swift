/// What a client sends once more where it was slow: it gives up a lock that it took two seconds
/// ago, and takes it again.
///
/// Such messages are passed on and not counted, so that others have the same numbers everywhere.
struct Repetition {
  private var hasGivenUp = false

  /// Returns whether a message is one, the first of a connection first.
  mutating func has(_ message: [UInt8]) -> Bool {
    func contains(_ text: String) -> Bool {
      // A statement ends in NUL, unlike sealed bytes that happen to have its letters.
      message.firstRange(of: Array("\(text)\0".utf8)) != nil
    }
    if contains("ROLLBACK") {
      hasGivenUp = true
      return true
    }
    defer { hasGivenUp = false }
    // With that, it tells the server that it is still busy.
    return contains("SELECT 1") || hasGivenUp && contains("BEGIN ISOLATION LEVEL READ COMMITTED")
  }
}
