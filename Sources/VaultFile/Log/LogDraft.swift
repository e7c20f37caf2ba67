import VaultModel

/// The changes of a transaction, for the log.
///
/// A transaction of many changes, such as an import, gets one entry for each kind of change: an
/// entry for each item would double the file.
struct LogDraft {
  /// The highest number of changes that get entries of their own.
  static let mostSingle = 64

  private var single: [LoggedChange] = []
  private var counts: [LoggedChange.Operation: Int] = [:]
  private var total = 0

  var isEmpty: Bool { total == 0 }

  mutating func add(_ change: @autoclosure () -> LoggedChange, _ operation: LoggedChange.Operation)
  {
    total += 1
    counts[operation, default: 0] += 1
    if total <= Self.mostSingle { single.append(change()) } else { single = [] }
  }

  /// Returns the entries to write.
  func entries(
    summary: (LoggedChange.Operation, _ count: Int) -> LoggedChange
  ) -> [LoggedChange] {
    guard total > Self.mostSingle else { return single }
    return LoggedChange.Operation.allCases.compactMap { operation in
      counts[operation].map { summary(operation, $0) }
    }
  }
}
