import VaultCrypto
package import VaultModel
package import VaultReports

/// An entry of the log in the bucket of the item that was changed, so that a change writes no
/// further bucket for it.
///
/// Source: `Documentation/format.md` §6.5.
package struct LogRecord {
  package let change: LoggedChange
  /// The record as it is: an entry is never changed.
  package let body: [UInt8]

  package init(_ change: LoggedChange) {
    self.change = change
    body = Self.encode(change)
  }

  package init(decoding bytes: [UInt8], _ range: Range<Int>) throws(VaultError) {
    var draft = Draft()
    var reader = FieldReader(bytes, range)
    while let field = try reader.next() { try draft.read(field, with: reader) }
    change = try draft.change()
    body = Array(bytes[range])
  }

  /// The route: that of an item's other records, as far as an entry knows it.
  package var route: Route {
    .keys(
      host: change.key.map { Array($0.server.name.utf8) } ?? [],
      account: change.key.map { Array($0.account.utf8) } ?? [],
      rest: Self.rest(id: change.id?.bytes ?? [], generation: change.generation.bytes))
  }

  /// Returns the last part of the route; without an item, entries spread by their generation.
  static func rest(id: [UInt8], generation: [UInt8]) -> [UInt8] { id.isEmpty ? generation : id }

  private static func encode(_ change: LoggedChange) -> [UInt8] {
    var writer = FieldWriter(capacity: 128)
    if let key = change.key {
      writer.put(FieldTag.server, key.server.name)
      writer.put(FieldTag.account, key.account)
      writer.put(FieldTag.protocol, key.protocolField)
      writer.put(FieldTag.port, key.port)
    }
    writer.put(FieldTag.id, change.id?.bytes ?? [])
    writer.put(FieldTag.modified, change.time)
    writer.put(FieldTag.revision, change.generation)
    writer.put(Attribute.origin, change.origin)
    writer.put(FieldTag.logOperation, change.operation.number)
    writer.put(FieldTag.logProgram, change.author.program)
    writer.put(FieldTag.logUser, change.author.user)
    writer.put(FieldTag.logHost, change.author.host)
    writer.put(FieldTag.logAttributes, attributeTags(change.attributes))
    writer.put(FieldTag.logCount, change.itemCount == 1 ? 0 : UInt32(clamping: change.itemCount))
    writer.put(FieldTag.logName, change.name)
    return writer.finish()
  }

  // MARK: Attributes

  private static let namedAttributes = Attribute.all.map { ($0.json, $0) }

  private static func attributeTags(_ names: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (name, attribute) in namedAttributes where names.contains(name) {
      bytes.append(varint: attribute == .service ? Attribute.server.rawValue : attribute.rawValue)
    }
    return bytes
  }

  /// Returns the names of attributes; those that only a later version knows have none.
  fileprivate static func attributeNames(
    _ bytes: [UInt8], _ range: Range<Int>, of key: Item.Key?
  ) throws(VaultError) -> [String] {
    var names: [String] = []
    var position = range.lowerBound
    while position < range.upperBound {
      let tag = try bytes.varint(at: &position, end: range.upperBound)
      guard var attribute = Attribute(rawValue: tag) else { continue }
      if attribute == .server, key?.itemClass == .genericPassword { attribute = .service }
      names.append(attribute.json)
    }
    return names
  }
}

/// The fields of an entry as far as they were read.
private struct Draft {
  private var key = Item.Key(authenticationMethod: .unset)
  private var hasKey = false
  private var id: ItemID?
  private var time: Timestamp?
  private var generation: UInt64?
  private var operation: LoggedChange.Operation?
  private var (origin, name) = ("", "")
  private var (program, user, host) = ("", "", "")
  private var attributes: [String] = []
  private var count: UInt32 = 1

  mutating func read(
    _ field: FieldReader.Field, with reader: FieldReader
  ) throws(VaultError) {
    switch FieldTag(rawValue: field.tag) {
    case .server?, .account?, .protocol?, .port?:
      guard let tag = FieldTag(rawValue: field.tag) else { return }
      try key.read(field, tag, with: reader)
      hasKey = true
    case .id:
      id = ItemID(reader.bytes, field.range)
      guard let id, id != ItemID(high: 0, low: 0) else {
        throw FieldReader.damaged("an entry of the log has a wrong id")
      }
    case .modified: time = try reader.moment(field)
    case .revision: generation = try reader.count(field)
    case .logOperation: operation = LoggedChange.Operation(number: try reader.number(field))
    case .logProgram: program = try reader.text(field)
    case .logUser: user = try reader.text(field)
    case .logHost: host = try reader.text(field)
    case .logAttributes:
      attributes = try LogRecord.attributeNames(reader.bytes, field.range, of: key)
    case .logCount: count = try reader.number(field)
    case .logName: name = try reader.text(field)
    default: if field.tag == Attribute.origin.rawValue { origin = try reader.text(field) }
    }
  }

  func change() throws(VaultError) -> LoggedChange {
    guard let time, let generation, let operation else {
      throw FieldReader.damaged("an entry of the log is incomplete")
    }
    return LoggedChange(
      operation, time: time, generation: generation, id: id, key: hasKey ? key : nil,
      origin: origin, attributes: attributes, itemCount: Int(count), name: name,
      author: .init(program: program, user: user, host: host))
  }
}

extension LoggedChange.Operation {
  /// The operations by their numbers, from 1.
  private static let numbered: [Self] = [
    .added, .modified, .removed, .purged, .restored, .reverted, .moved, .imported, .merged,
    .defaultSet, .defaultCleared, .ruleAdded, .ruleChanged, .ruleRemoved, .slotAdded, .slotChanged,
    .slotRemoved, .rekeyed, .vaultRestored,
  ]

  /// The number in a record; no entry of an unknown operation is ever written.
  var number: UInt8 {
    UInt8((Self.numbered.firstIndex(of: self) ?? Self.numbered.count) + 1)
  }

  init(number: UInt8) {
    self = Self.numbered.indices.contains(Int(number) - 1) ? Self.numbered[Int(number) - 1] : .other
  }
}

extension UInt64 {
  /// The bytes in a record.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    appendLittleEndian(to: &bytes)
    return bytes
  }
}
