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
  /// The number of entries that a bucket keeps beyond a quarter of its other records; the buckets
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
    let count = entries.count { $0.record.kind == RecordKind.logEntry }
    guard count > 0 else { return [] }
    var (outdated, kept): ([LogRecord], [LogRecord]) = ([], [])
    for entry in entries where entry.record.kind == RecordKind.logEntry {
      do throws(VaultError) {
        let body = entry.record.body
        let record = try LogRecord(decoding: body, 0..<body.count)
        if record.change.time <= end { outdated.append(record) } else { kept.append(record) }
      } catch {
        // A malformed one is kept unchanged, and does not block writes beside it.
        guard error.code == .damaged else { throw error }
      }
    }
    return outdated + Self.surplus(of: kept, limit: (entries.count - count) / 4 + room)
  }

  /// Returns the entries that exceed the limits: of the item that has the most, the oldest.
  private static func surplus(of kept: [LogRecord], limit: Int) -> [LogRecord] {
    guard kept.count > min(limit, TreeEditor.longestLogOfItem) else { return [] }
    var counts: [ItemID: Int] = [:]
    var ranked: [(rank: Int, record: LogRecord)] = []
    for record in kept.sorted(by: { LoggedChange.isNewer($0.change, $1.change) }) {
      guard let id = record.change.id else {
        ranked.append((0, record))
        continue
      }
      ranked.append((counts[id, default: 0], record))
      counts[id, default: 0] += 1
    }
    // The newest entry of each item first, then the second of each.
    let order = ranked.indices.sorted { (ranked[$0].rank, $0) < (ranked[$1].rank, $1) }
    return order.enumerated().filter { place, index in
      place >= limit || ranked[index].rank >= TreeEditor.longestLogOfItem
    }.map { ranked[$0.element].record }
  }
}
