import SecureMemory
import VaultCrypto
package import VaultModel

/// An item in its bucket: its attributes unencrypted, its secrets still sealed.
///
/// Source: `Documentation/format.md` §6.1.
package struct ItemRecord {
  package var item: Item
  // Slices of the bucket's content: copying them for every item would double the cost of a list.
  package var sealedSecret: ArraySlice<UInt8> = []
  package var largeSecret: LargeSecret?
  /// The sealed ``Attribute/furtherSecrets``, of which the item says that it has them.
  package private(set) var furtherSecrets: [Attribute: ArraySlice<UInt8>] = [:]
  /// Flags unknown to this version.
  private var unknownFlags: UInt8 = 0
  private var unknown: [UnknownField] = []

  /// The difference in length between a sealed secret and the secret.
  static let sealOverhead = 40
  static let sealedSecretSizes = sealOverhead + 1...sealOverhead + EpochKeys.longestInlineSecret
  private static var invisible: UInt8 { UInt8(Attribute.isInvisible.rawValue >> 16) }
  private static var negative: UInt8 { UInt8(Attribute.isNegative.rawValue >> 16) }

  package init(_ item: Item) {
    self.item = item
  }

  /// Sets a sealed further secret; nil for none.
  package mutating func set(_ attribute: Attribute, sealed: ArraySlice<UInt8>?) {
    furtherSecrets[attribute] = sealed
    if sealed == nil { item[secret: attribute] = nil } else { item.withhold(attribute) }
  }

  /// Returns the first fields of an item's record, which are its key: equal keys have equal bytes.
  package static func keyPrefix(_ key: Item.Key) -> [UInt8] {
    var writer = FieldWriter(capacity: 128)
    put(key, into: &writer)
    return writer.finish()
  }

  static func put(_ key: Item.Key, into writer: inout FieldWriter) {
    writer.put(FieldTag.server, key.server.name)
    writer.put(FieldTag.account, key.account)
    writer.put(FieldTag.realm, key.realm)
    writer.put(FieldTag.protocol, key.protocolField)
    writer.put(FieldTag.authenticationMethod, key.authenticationMethod.rawValue)
    writer.put(FieldTag.port, key.port)
    writer.put(FieldTag.path, key.path)
  }

  package var encoded: [UInt8] { encoded(removed: nil) }

  /// Returns the record's body; that of a removed item if there is a time of removal.
  package func encoded(removed: Timestamp?) -> [UInt8] {
    var writer = FieldWriter(keeping: unknown, capacity: 256 + sealedSecret.count)
    Self.put(item.key, into: &writer)
    writer.put(FieldTag.id, item.id)
    writer.put(FieldTag.created, item.created)
    writer.put(FieldTag.modified, item.modified)
    writer.put(FieldTag.revision, item.revision)
    writer.put(FieldTag.secretKind, item.secretKind.rawValue)
    writer.put(FieldTag.sealedSecret, sealedSecret)
    writer.put(FieldTag.largeSecret, largeSecret?.encoded ?? [])
    let extended = item.extended.set
    var next = 0
    put(extended, from: &next, before: .label, into: &writer)
    writer.put(FieldTag.label, item.label)
    put(extended, from: &next, before: .flags, into: &writer)
    writer.put(
      FieldTag.flags,
      unknownFlags | (item.isInvisible ? Self.invisible : 0) | (item.isNegative ? Self.negative : 0)
    )
    put(extended, from: &next, before: .removed, into: &writer)
    if let removed { writer.put(FieldTag.removed, removed) }
    put(extended, from: &next, before: nil, into: &writer)
    return writer.finish()
  }

  package init(decoding bytes: [UInt8], _ body: Range<Int>) throws(VaultError) {
    var key = Item.Key(authenticationMethod: .unset)
    var reader = FieldReader(bytes, body)
    var field = try reader.next()
    while let part = field, let tag = FieldTag(rawValue: part.tag), tag < .id {
      try key.read(part, tag, with: reader)
      field = try reader.next()
    }
    guard let part = field, part.tag == FieldTag.id.rawValue else {
      throw FieldReader.damaged("an item has no id")
    }
    let id = try reader.id(part)
    let unset = Timestamp(milliseconds: 0)
    item = Item(id: id, key: key, created: unset, modified: unset)
    while let field = try reader.next() { try read(field, with: reader) }
    guard id != ItemID(high: 0, low: 0), item.created != unset, item.modified != unset,
      item.revision > 0
    else { throw FieldReader.damaged("an item has no id, time or revision") }
    guard sealedSecret.isEmpty || Self.sealedSecretSizes.contains(sealedSecret.count),
      sealedSecret.isEmpty || largeSecret == nil
    else { throw FieldReader.damaged("an item's secret has the wrong size, or it has two") }
  }

  /// Drops an unknown field with the tag of the time of removal.
  mutating func dropRemoved() {
    unknown = unknown.filter { $0.tag != FieldTag.removed.rawValue }
  }

  /// Removes and returns the time of removal, which only removed items have; nil if there is none.
  mutating func takeRemoved() throws(VaultError) -> Timestamp? {
    guard let index = unknown.firstIndex(where: { $0.tag == FieldTag.removed.rawValue }) else {
      return nil
    }
    let field = unknown.remove(at: index)
    guard field.value.count == MemoryLayout<Int64>.size, field.value.contains(where: { $0 != 0 })
    else { throw FieldReader.damaged("a time of removal is no time") }
    let removed = Timestamp(milliseconds: Int64(littleEndianIn: field.value, at: 0))
    guard removed <= SealedNumber.lastMoment else {
      throw FieldReader.damaged("a time of removal is out of bounds")
    }
    return removed
  }

  /// Reads a field after the id.
  private mutating func read(
    _ field: FieldReader.Field, with reader: FieldReader
  ) throws(VaultError) {
    let bytes = reader.bytes
    switch FieldTag(rawValue: field.tag) {
    case .created: item.created = try reader.moment(field)
    case .modified: item.modified = try reader.moment(field)
    case .revision: item.revision = try reader.count(field)
    case .secretKind: item.secretKind = SecretKind(rawValue: try reader.number(field))
    case .sealedSecret: sealedSecret = bytes[field.range]
    case .largeSecret: largeSecret = try LargeSecret(decoding: bytes, field.range)
    case .label: item.label = try reader.text(field)
    case .flags:
      let flags: UInt8 = try reader.number(field)
      item.isInvisible = flags & Self.invisible != 0
      item.isNegative = flags & Self.negative != 0
      unknownFlags = flags & ~(Self.invisible | Self.negative)
    default:
      guard let attribute = Attribute(rawValue: field.tag) else {
        return unknown.append(reader.unknown(field))
      }
      if attribute.isFurtherSecret {
        guard (1...attribute.longest).contains(field.range.count - Self.sealOverhead) else {
          throw FieldReader.damaged("an item's \(attribute.name) has the wrong size")
        }
        set(attribute, sealed: bytes[field.range])
      } else if let value = try reader.value(field, attribute.form) {
        item.extended[attribute] = value
      } else {
        unknown.append(reader.unknown(field))
      }
    }
  }
}

extension FieldReader {
  /// Returns the value of an extended attribute; nil for any other attribute.
  fileprivate func value(
    _ field: Field, _ form: AttributeForm
  ) throws(VaultError) -> AttributeValue? {
    switch form {
    case .text: .text(try text(field))
    case .code: .number(try number(field))
    case .time: .time(try time(field))
    case .moment: .time(try moment(field))
    case .data: .data(Array(bytes[field.range]))
    case .custom: .custom(try CustomAttributes.decode(bytes, field.range))
    case .id, .host, .networkProtocol, .method, .port, .flag, .secretKind, .revision, .secret: nil
    }
  }
}

extension ItemRecord {
  /// Writes the extended attributes whose tags are below one.
  private func put(
    _ extended: [ExtendedAttributes.Element], from next: inout Int, before end: FieldTag?,
    into writer: inout FieldWriter
  ) {
    let end = end?.rawValue ?? .max
    while next < extended.count, extended[next].attribute.rawValue < end {
      let element = extended[next]
      next += 1
      switch element.value {
      case .text(let text): writer.put(element.attribute, text)
      case .number(let number): writer.put(element.attribute, number)
      case .time(let time):
        guard element.attribute != .secretChanged || time != item.created else { continue }
        writer.put(element.attribute, time)
      case .data(let bytes): writer.put(element.attribute, bytes)
      case .custom(let texts): writer.put(element.attribute, CustomAttributes.encode(texts))
      // A further secret, which is sealed.
      case .secret, .flag: writer.put(element.attribute, furtherSecrets[element.attribute] ?? [])
      }
    }
  }
}

extension Item.Key {
  /// The protocol's field of a generic password, which no protocol's name can be.
  private static let genericMark = "=generic"

  /// The text in the protocol's field: a generic password has a mark there, and its service in the
  /// server's field.
  var protocolField: String {
    itemClass == .genericPassword ? Self.genericMark : `protocol`.rawValue
  }

  /// Reads one of the fields before the id.
  mutating func read(
    _ field: FieldReader.Field, _ tag: FieldTag, with reader: FieldReader
  ) throws(VaultError) {
    switch tag {
    case .server: server = HostName(canonical: try reader.text(field))
    case .account: account = try reader.text(field)
    case .realm: realm = try reader.text(field)
    case .protocol:
      let text = try reader.text(field)
      if text == Self.genericMark {
        self = Self(service: server.name, account: account)
      } else {
        `protocol` = NetworkProtocol(rawValue: text)
      }
    case .authenticationMethod:
      authenticationMethod = AuthenticationMethod(rawValue: try reader.text(field))
    case .port: port = try reader.number(field)
    default: path = try reader.text(field)
    }
  }
}
