package import SealedTree
package import VaultModel
package import VaultReports

/// The log of a file: what its transactions changed.
extension FileTransaction {
  /// Logs a change of an item.
  func log(
    _ operation: LoggedChange.Operation, _ item: Item, _ attributes: [Attribute] = []
  ) throws(VaultError) {
    try log(
      operation, id: item.id, key: item.key, origin: item.origin, attributes: attributes.map(\.json)
    )
  }

  /// Logs a change.
  package func log(
    _ operation: LoggedChange.Operation, id: ItemID? = nil, key: Item.Key? = nil,
    origin: String = "", attributes: [String] = [], name: String = ""
  ) throws(VaultError) {
    guard editor.head.logDays > 0 else { return }
    let generation = try revision
    draft.add(
      LoggedChange(
        operation, time: now, generation: generation, id: id, key: key, origin: origin,
        attributes: attributes, name: name, author: author),
      operation)
  }

  /// Whether there is anything to write.
  var hasChanges: Bool { editor.hasChanges || !draft.isEmpty }

  /// Writes the entries of this transaction, and drops old ones from the buckets that are written.
  func settleLog() throws(VaultError) {
    let generation = try revision
    let entries = draft.entries { operation, count in
      LoggedChange(
        operation, time: now, generation: generation, itemCount: count, author: author)
    }
    for change in entries { try insert(LogRecord(change)) }
    try editor.trimLog(upTo: logEnd)
  }

  private func insert(_ entry: LogRecord) throws(VaultError) {
    let place: TreeEditor.Place
    do throws(VaultError) {
      place = try editor.place(of: entry.route)
    } catch {
      // Damage where an entry belongs must not keep anybody from removing a slot or a rule.
      guard error.code == .damaged else { throw error }
      return
    }
    try editor.insert(Record(kind: RecordKind.logEntry, body: entry.body), at: place)
  }

  /// The time at or before which an entry is too old.
  private var logEnd: Timestamp { now.adding(days: -logDays) }

  // MARK: Retention

  /// The number of days for which changes are logged.
  package var logDays: Int { Int(editor.head.logDays) }

  /// Sets the number of days for which changes are logged; older entries are removed at once.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` unless it is one of ``LoggedChange/dayLimits``.
  package func setLogDays(_ days: Int) throws(VaultError) {
    let limits = LoggedChange.dayLimits
    guard limits.contains(days) else {
      throw VaultError(
        .invalidArgument,
        "changes are logged for \(limits.lowerBound) to \(limits.upperBound) days, not \(days)")
    }
    let before = logDays
    editor.head.logDays = UInt16(days)
    if days < before { try sweepLog() }
  }

  /// Removes every entry that is too old.
  package func sweepLog() throws(VaultError) {
    let end = logEnd
    let outdated = try editor.log(after: Timestamp(milliseconds: .min), limit: nil) {
      $0.time <= end
    }
    for entry in outdated { try editor.remove(entry) }
  }

  // MARK: Merging

  /// Adds the entries of another copy that this one does not have.
  ///
  /// - Parameter other: The other copy.
  /// - Throws: ``VaultError/Code/damaged`` if a bucket of either does not open.
  package func mergeLog(of other: TreeReader) throws(VaultError) {
    let end = logEnd
    let known = Set(try editor.log(after: end, limit: nil).map(\.body))
    for entry in try other.log(after: end, limit: nil) where !known.contains(entry.body) {
      try insert(entry)
    }
  }
}

extension Timestamp {
  fileprivate func adding(days: Int) -> Timestamp { adding(.seconds(86_400 * days)) }
}

extension FileStore {
  /// Returns the changes of the file, the newest first.
  ///
  /// - Parameters:
  ///   - start: Only later changes; nil for all that are logged.
  ///   - limit: The highest number of changes.
  ///   - isWanted: A further condition.
  /// - Returns: None if there are none.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func log(
    since start: Timestamp?, limit: Int?, where isWanted: (LoggedChange) -> Bool
  ) throws(VaultError) -> [LoggedChange] {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        let days = try Int(file.requireUnlocked().head.logDays)
        let end = reader.clock.now().adding(days: -days)
        let start = start.map { max($0.adding(milliseconds: -1), end) } ?? end
        return try reader.log(after: start, limit: limit, where: isWanted).map(\.change)
      }
    }
  }

  /// The number of days for which changes are logged.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package var logDays: Int {
    get throws(VaultError) {
      try locked { (file) throws(VaultError) in
        try file.read { (_) throws(VaultError) in try Int(file.requireUnlocked().head.logDays) }
      }
    }
  }

  /// Sets the number of days for which changes are logged, as
  /// ``FileTransaction/setLogDays(_:)`` says.
  package func setLogDays(_ days: Int) throws(VaultError) {
    try write { (transaction) throws(VaultError) in try transaction.setLogDays(days) }
  }
}

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
