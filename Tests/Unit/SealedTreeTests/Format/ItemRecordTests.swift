import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel

@testable import SealedTree

@Suite("ItemRecord")
struct ItemRecordTests {
  let damaged = VaultError(.damaged, "")

  /// Returns a record with every field of an item, and an unknown field.
  private func full() throws -> ItemRecord {
    var item = Item(
      server: try HostName("git.example.com"), account: "ada", protocol: .https, port: 8443,
      realm: "Grüße", path: "/team/project.git", authenticationMethod: .basic)
    item.created = Timestamp(milliseconds: -5)
    item.modified = Timestamp(milliseconds: 1 << 41)
    item.revision = SealedNumber.end - 1
    item.secretKind = SecretKind(rawValue: 200)
    item.label = "label"
    item.comment = "comment"
    item.kind = "kind"
    item.creator = .max
    item.type = 1
    item.isInvisible = true
    item.isNegative = true
    item.expires = Timestamp(milliseconds: .min)
    item.accountDomain = "DOMAIN"
    item.origin = "git"
    item.certificates = [0x30, 1, 0]
    item.custom = ["b": "", "ä": "2", "a": "1"]
    item.secretChanged = Timestamp(milliseconds: -4)
    item.keptUntil = Timestamp(milliseconds: .max)
    var record = ItemRecord(item)
    record.sealedSecret = pattern(41)[...]
    record.set(.refreshToken, sealed: pattern(8232)[...])
    record.set(.oneTimePasswordKey, sealed: pattern(4136)[...])
    return record
  }

  private func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
  }

  private func read(_ body: [UInt8]) throws(VaultError) -> ItemRecord {
    try ItemRecord(decoding: body, 0..<body.count)
  }

  /// Returns the body with another value for a field; none removes it.
  private func body(_ tag: FieldTag, _ value: [UInt8], of body: [UInt8]) throws -> [UInt8] {
    var reader = FieldReader(body, 0..<body.count)
    var fields: [UnknownField] = []
    while let field = try reader.next() {
      if field.tag != tag.rawValue { fields.append(reader.unknown(field)) }
    }
    if !value.isEmpty { fields.append(UnknownField(tag: tag.rawValue, value: value)) }
    var writer = FieldWriter(keeping: fields.sorted { $0.tag < $1.tag })
    return writer.finish()
  }

  @Test("every field reads back")
  func everyField() throws {
    let record = try full()
    let read = try read(record.encoded)
    #expect(Listing.fields(read) == Listing.fields(record))
    #expect(Listing.fields(read).count == 28)
    #expect(read.encoded == record.encoded)
    #expect(read.item.expires == record.item.expires && read.item.id == record.item.id)
  }

  @Test("an attribute's tag is that of no other field")
  func tags() {
    for attribute in Attribute.all {
      guard let tag = FieldTag(rawValue: attribute.rawValue) else { continue }
      #expect("\(tag)" == "\(attribute)" || attribute == .secret && tag == .sealedSecret)
    }
    for flag in [Attribute.isInvisible, .isNegative] {
      #expect(flag.rawValue & 0xFFFF == FieldTag.flags.rawValue)
    }
  }

  @Test("what is unset stays unset, the method too")
  func nothing() throws {
    var item = Item(authenticationMethod: .unset)
    item.revision = 1
    let read = try read(ItemRecord(item).encoded)
    #expect(read.item.key == item.key)
    #expect(read.item.authenticationMethod == .unset && read.item.expires == nil)
    #expect(Set(Listing.fields(read).keys) == ["id", "created", "modified", "revision"])
  }

  @Test("a record with the large secret's row reads back")
  func largeSecret() throws {
    var record = try full()
    record.sealedSecret = []
    record.largeSecret = ItemRecord.LargeSecret(
      id: NodeID.firstLargeSecret + 9, tag: Tag(low: 1, high: 2), count: 1 << 20)
    #expect(try read(record.encoded).largeSecret == record.largeSecret)
  }

  @Test("a sealed further secret has the size of one", arguments: Attribute.furtherSecrets)
  func furtherSecretSizes(_ attribute: Attribute) throws {
    for (count, isRight) in [
      (40, false), (41, true), (attribute.longest + 40, true),
      (attribute.longest + 41, false),
    ] {
      var record = try full()
      record.set(attribute, sealed: pattern(count)[...])
      let body = record.encoded
      if isRight {
        #expect(try read(body).furtherSecrets[attribute]?.count == count)
      } else {
        #expect(throws: damaged) { try read(body) }
      }
    }
    var record = try full()
    record.set(attribute, sealed: nil)
    let without = try read(record.encoded)
    #expect(without.furtherSecrets[attribute] == nil && without.furtherSecrets.count == 1)
    #expect(Attribute.furtherSecrets.filter { without.item.extended[$0] != nil }.count == 1)
  }

  @Test("fields and flags that are not known survive a change")
  func unknown() throws {
    let unknown = [(0x1C, 3), (60, 1), (62, 2), (1 << 32 - 1, 200)].map {
      UnknownField(tag: UInt32($0.0), value: pattern($0.1))
    }
    var flagged = FieldWriter(keeping: unknown)
    let plain = try body(.flags, [0xFD], of: full().encoded)
    var reader = FieldReader(plain, 0..<plain.count)
    while let field = try reader.next() {
      // Known fields are written under their own tags.
      let value = Array(plain[field.range])
      if let tag = FieldTag(rawValue: field.tag) {
        flagged.put(tag, value)
      } else if let attribute = Attribute(rawValue: field.tag) {
        flagged.put(attribute, value)
      }
    }
    let before = flagged.finish()
    var record = try read(before)
    #expect(record.item.isInvisible && !record.item.isNegative)
    record.item.label = "another"
    record.item.isInvisible = false
    record.item.isNegative = true
    let after = record.encoded
    #expect(
      after == (try body(.flags, [0xFE], of: body(.label, Array("another".utf8), of: before))))
  }

  @Test("a record cut off at any byte is damaged, whatever stands before it")
  func truncation() throws {
    let body = try full().encoded
    var content: [UInt8] = [RecordKind.item]
    content.append(varint: UInt32(body.count))
    content += body
    for count in 1..<content.count {
      let short = Array(content[..<count])
      #expect(throws: damaged) {
        var records = RecordReader(short)
        while let record = try records.next() { _ = try ItemRecord(decoding: short, record.body) }
      }
    }
    for count in body.indices {
      // Cut at a field's end it may be a record, but never the same one.
      do throws(VaultError) {
        #expect(try read(Array(body[..<count])).encoded.count == count)
      } catch {
        #expect(error.code == .damaged)
      }
    }
  }

  @Test(
    "a record without id, created, modified or revision is damaged",
    arguments: [FieldTag.id, .created, .modified, .revision])
  func missing(_ tag: FieldTag) throws {
    let body = try body(tag, [], of: full().encoded)
    #expect(throws: damaged) { try read(body) }
  }

  @Test("custom attributes are sorted by bytes, and any other order is damaged")
  func custom() throws {
    let encoded = CustomAttributes.encode(["b": "1", "a": "", "ä": "3", "B": "4"])
    #expect(encoded == [1, 0x42, 1, 0x34, 1, 0x61, 0, 1, 0x62, 1, 0x31, 2, 0xC3, 0xA4, 1, 0x33])
    #expect(try CustomAttributes.decode(encoded, 0..<encoded.count).count == 4)
    let bad: [[UInt8]] = [
      [1, 0x62, 0, 1, 0x61, 0], [1, 0x61, 0, 1, 0x61, 0], [0, 1, 0x61], [1, 0x61], [2, 0x61, 0],
      [1, 0, 0], [1, 0x61, 1, 0],
      // "ä" in one character and in two are one name to Swift: one of the two would be lost.
      [3, 0x61, 0xCC, 0x88, 0, 2, 0xC3, 0xA4, 0],
    ]
    for bytes in bad {
      #expect(throws: damaged) { try CustomAttributes.decode(bytes, 0..<bytes.count) }
    }
  }

  @Test("equal keys begin with equal bytes, and no other key does with the same length")
  func keyPrefix() throws {
    let key = try full().item.key
    let prefix = ItemRecord.keyPrefix(key)
    let body = try full().encoded
    #expect(body.has(prefix, at: 0..<body.count))
    var other = key
    other.path += "x"
    #expect(!body.has(ItemRecord.keyPrefix(other), at: 0..<body.count))
    #expect(!body.has(body + [0], at: 0..<body.count))
  }
}
