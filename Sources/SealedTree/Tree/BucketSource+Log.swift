import VaultCrypto
package import VaultModel

/// Finding the entries of the log among records.
extension BucketSource {
  /// Returns the entries after a time that are wanted, the newest first.
  ///
  /// It never holds many more of them than the limit.
  package func log(
    after start: Timestamp, limit: Int?, where isWanted: (LoggedChange) -> Bool = { _ in true }
  ) throws(VaultError) -> [LogRecord] {
    let limit = limit ?? .max
    guard limit > 0 else { return [] }
    var found: [LogRecord] = []
    try visit(PartialRoute()) { (kind, bytes, body) throws(VaultError) in
      guard kind == RecordKind.logEntry else { return }
      let record = try LogRecord(decoding: bytes, body)
      guard record.change.time > start, isWanted(record.change) else { return }
      found.append(record)
      if found.count / 2 >= limit { found.keepNewest(limit) }
    }
    found.keepNewest(limit)
    return found
  }
}

extension [LogRecord] {
  fileprivate mutating func keepNewest(_ limit: Int) {
    sort { left, right in
      guard left.change.time == right.change.time,
        left.change.generation == right.change.generation
      else { return LoggedChange.isNewer(left.change, right.change) }
      // Changes of one commit are in one order, wherever they lie.
      return left.body.lexicographicallyPrecedes(right.body)
    }
    if count > limit { removeSubrange(limit...) }
  }
}
