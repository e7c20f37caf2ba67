import VaultCrypto
package import VaultModel

/// A record of any kind, parsed as far as its kind is known, so that malformed ones are found here
/// and not in use.
///
/// Source: `Documentation/format.md` §6.
package enum AnyRecord {
  case item(ItemRecord)
  case defaultUser(DefaultRecord)
  case rule(PolicyRuleRecord)
  case previousSecret(PreviousRecord)
  case removedItem(RemovedRecord)
  case logEntry(LogRecord)
  case tree(TreeRecord)
  case other

  /// Parses a record.
  ///
  /// - Throws: ``VaultError/Code/damaged``.
  package init(kind: UInt8, _ bytes: [UInt8], _ body: Range<Int>) throws(VaultError) {
    switch kind {
    case RecordKind.item: self = .item(try ItemRecord(decoding: bytes, body))
    case RecordKind.defaultUser: self = .defaultUser(try DefaultRecord(decoding: bytes, body))
    case RecordKind.policyRule: self = .rule(try PolicyRuleRecord(decoding: bytes, body))
    case RecordKind.previousSecret:
      self = .previousSecret(try PreviousRecord(decoding: bytes, body))
    case RecordKind.removedItem:
      self = .removedItem(try RemovedRecord(decoding: bytes, body))
    case RecordKind.logEntry: self = .logEntry(try LogRecord(decoding: bytes, body))
    case RecordKind.tree: self = .tree(try TreeRecord(decoding: bytes, body))
    default:
      // Any other must have a route for lookups, and be a list of fields.
      _ = try Route(kind: kind, bytes, body)
      var fields = FieldReader(bytes, body)
      while try fields.next() != nil {}
      self = .other
    }
  }
}

extension ItemRecord.LargeSecret {
  /// Reads the row that a record of any kind names beside its bucket; nil if it names none.
  ///
  /// Only as much of the record is read as comes before.
  ///
  /// - Throws: ``VaultError/Code/damaged``.
  package init?(namedBy kind: UInt8, _ bytes: [UInt8], _ body: Range<Int>) throws(VaultError) {
    switch kind {
    case RecordKind.item, RecordKind.previousSecret, RecordKind.removedItem: break
    default: return nil
    }
    var fields = FieldReader(bytes, body)
    while let field = try fields.next(), field.tag <= FieldTag.largeSecret.rawValue {
      guard field.tag == FieldTag.largeSecret.rawValue else { continue }
      try self.init(decoding: bytes, field.range)
      return
    }
    return nil
  }
}
