import VaultCrypto
package import VaultModel

/// Keeping the log small: where a write edits a bucket, it drops the entries that are too old or
/// too many.
///
/// So an outdated entry costs no write of its own, and the log stays below half of a file.
/// Source: `Documentation/format.md` §6.5.
extension TreeEditor {
  /// The number of entries of one item that are kept: more would make its group heavy.
  static let longestLogOfItem = 32
  /// The number of entries that a bucket keeps beyond an eighth of its other records; the buckets
  /// of a small tree share more.
  private static let roomOfBucket = 2
  private static let roomOfTree = 128

  /// Drops the entries of the edited buckets that are not kept any more.
  ///
  /// - Parameter end: The time at or before which an entry is too old.
  /// - Throws: ``VaultError/Code/damaged``.
  package func trimLog(upTo end: Timestamp) throws(VaultError) {
    var outdated: [LogRecord] = []
    for tree in [tree] + groups.values {
      let room = max(Self.roomOfBucket, Self.roomOfTree / Int(tree.directory.bucketCount))
      for bucket in tree.buckets.values where bucket.isEdited {
        outdated += try bucket.outdatedLog(upTo: end, room: room)
      }
    }
    // Removing one may merge buckets, so they are found first.
    for entry in outdated { try remove(entry) }
  }

  /// Removes an entry of the log.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if it is not there.
  package func remove(_ entry: LogRecord) throws(VaultError) {
    let wasThere = try replace(at: entry.route, with: nil) {
      $0.kind == RecordKind.logEntry && $0.body == entry.body
    }
    guard wasThere else {
      throw VaultError(.damaged, "an entry of the log is where no lookup finds it")
    }
  }
}

extension EditableBucket {
  /// Returns the entries of the log that are too old or too many.
  fileprivate func outdatedLog(
    upTo end: Timestamp, room: Int
  ) throws(VaultError) -> [LogRecord] {
    var (outdated, kept): ([LogMark], [LogMark]) = ([], [])
    var others = 0
    for index in entries.indices {
      guard entries[index].record.kind == RecordKind.logEntry else {
        others += 1
        continue
      }
      let mark = try Self.unlessDamaged { () throws(VaultError) in
        try LogMark(decoding: entries[index].record.body, at: index)
      }
      guard let mark else { continue }
      if mark.time <= end { outdated.append(mark) } else { kept.append(mark) }
    }
    outdated += LogMark.surplus(of: kept, limit: others / 8 + room)
    var records: [LogRecord] = []
    for mark in outdated {
      let body = entries[mark.index].record.body
      let record = try Self.unlessDamaged { () throws(VaultError) in
        try LogRecord(decoding: body, 0..<body.count)
      }
      if let record { records.append(record) }
    }
    return records
  }

  /// Returns the result of reading an entry; nil for a malformed one, which is kept unchanged and
  /// does not block writes beside it.
  private static func unlessDamaged<R>(
    _ read: () throws(VaultError) -> R
  ) throws(VaultError) -> R? {
    do throws(VaultError) {
      return try read()
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }
}

/// The fields of an entry that decide whether it is kept.
///
/// Each write looks at the entries of its buckets; reading them whole would take a tenth of its
/// time.
private struct LogMark {
  /// The place of the entry in its bucket.
  let index: Int
  let id: ItemID?
  let time: Timestamp
  let generation: UInt64

  init(decoding body: [UInt8], at index: Int) throws(VaultError) {
    self.index = index
    var (id, time, generation): (ItemID?, Timestamp?, UInt64?)
    var reader = FieldReader(body, 0..<body.count)
    while generation == nil, let field = try reader.next() {
      switch FieldTag(rawValue: field.tag) {
      case .id: id = ItemID(body, field.range)
      case .modified: time = try reader.moment(field)
      case .revision: generation = try reader.count(field)
      default: continue
      }
    }
    guard let time, let generation else {
      throw FieldReader.damaged("an entry of the log is incomplete")
    }
    (self.id, self.time, self.generation) = (id, time, generation)
  }

  /// Returns the entries that exceed the limits: of the item that has the most, the oldest.
  static func surplus(of kept: [LogMark], limit: Int) -> [LogMark] {
    guard kept.count > min(limit, TreeEditor.longestLogOfItem) else { return [] }
    var counts: [ItemID: Int] = [:]
    var ranked: [(rank: Int, mark: LogMark)] = []
    for mark in kept.sorted(by: { ($0.time, $0.generation) > ($1.time, $1.generation) }) {
      guard let id = mark.id else {
        ranked.append((0, mark))
        continue
      }
      ranked.append((counts[id, default: 0], mark))
      counts[id, default: 0] += 1
    }
    // The newest entry of each item first, then the second of each.
    let order = ranked.indices.sorted { (ranked[$0].rank, $0) < (ranked[$1].rank, $1) }
    return order.enumerated().filter { place, index in
      place >= limit || ranked[index].rank >= TreeEditor.longestLogOfItem
    }.map { ranked[$0.element].mark }
  }
}
