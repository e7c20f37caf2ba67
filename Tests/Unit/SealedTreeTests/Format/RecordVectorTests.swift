import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel

@testable import SealedTree

/// The golden vectors of records; `VaultCryptoTests` covers those of keys and seals.
@Suite("golden vectors of records")
struct RecordVectorTests {
  @Test("there are the vectors that there were")
  func corpus() throws {
    #expect(try Vector.all("record").count >= 140)
  }

  @Test("records are judged as their vectors say", arguments: try Vector.all("record"))
  func record(_ vector: Vector) throws {
    try vector.requireKeys([], results: ["kind", "field-"])
    let found = try vector.judge { () throws(VaultError) in try ReadRecord(vector.body) }
    guard let found else { return }
    #expect(try found.kind == vector.number("kind"))
    #expect(found.body == found.encoded)
    guard let fields = found.fields else { return }
    #expect(fields.count == vector.keys.count - 1)
    for (name, value) in fields {
      let isSame = vector.keys["field-\(name)"] == value
      #expect(isSame, "field \(name)")
    }
  }

  @Test("records find their buckets as their vectors say", arguments: try Vector.all("hash"))
  func hash(_ vector: Vector) throws {
    let results = ["key-", "hash-", "buckets-"]
    try vector.requireKeys(["vault-key", "buckets"], results: Set(results))
    let keys = try EpochKeys(vaultKey: vector.bytes("vault-key"))
    var reader = RecordReader(vector.body)
    let (kind, body) = try #require(try reader.next())
    var routes = [try Route(kind: kind, vector.body, body)]
    if kind == RecordKind.item {
      routes.append(.item(try ItemRecord(decoding: vector.body, body).item.key))
    }
    if kind == RecordKind.defaultUser {
      routes.append(.space(try DefaultRecord(decoding: vector.body, body).space))
    }
    let counts = try vector.text("buckets").split(separator: " ").map { try #require(UInt32($0)) }
    for level in 0...2 {
      for route in routes {
        #expect(try route.key(level: level) == vector.bytes("key-\(level)"))
      }
      let hash = keys.indexHash(level: UInt8(level), key: routes[0].key(level: level))
      #expect(try hash == vector.number("hash-\(level)"))
      let buckets = counts.map { String(Directory.address(hash, bucketCount: $0)) }
      #expect(try buckets.joined(separator: " ") == vector.text("buckets-\(level)"))
    }
  }

  @Test("a record with anything in it changed is damaged or has one encoding, its own")
  func mutations() throws {
    var random = SplitMix(seed: 20_260_101)
    var readable = 0
    for vector in try Vector.all("record") where vector.body.count < 600 {
      for _ in 0..<100 {
        var content = vector.body
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          guard !content.isEmpty else { break }
          let index = Int.random(in: 0..<content.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: content[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
          case 1: content.remove(at: index)
          case 2: content.insert(UInt8.random(in: 0...255, using: &random), at: index)
          default: content.removeSubrange(index...)
          }
        }
        do throws(VaultError) {
          let record = try ReadRecord(content)
          readable += 1
          #expect(record.encoded == record.body, "\(vector): \(content)")
        } catch {
          #expect(error.code == .damaged)
        }
      }
    }
    // Changes within a value are readable: the other half of the test was one.
    #expect(readable > 200)
  }
}

/// A bucket's content with one record in it, read as the library reads it.
private struct ReadRecord {
  let kind: UInt8
  let body: [UInt8]
  /// The record written again.
  let encoded: [UInt8]
  /// Its values under the names of the vectors; nil for a kind that is only kept.
  let fields: [String: String]?

  init(_ content: [UInt8]) throws(VaultError) {
    var reader = RecordReader(content)
    guard let record = try reader.next(), try reader.next() == nil else {
      throw VaultError(.damaged, "not one record")
    }
    kind = record.kind
    body = Array(content[record.body])
    _ = try Route(kind: kind, content, record.body)
    switch kind {
    case RecordKind.item:
      let item = try ItemRecord(decoding: content, record.body)
      encoded = item.encoded
      fields = Listing.fields(item).merging(try Self.unknown(body)) { known, _ in known }
    case RecordKind.previousSecret:
      let found = try PreviousRecord(decoding: content, record.body)
      encoded = found.encoded
      let unknown = try Self.unknown(body) {
        !Self.previousTags.contains($0) && $0 > FieldTag.id.rawValue
      }
      fields = Listing.fields(found).merging(unknown) { known, _ in known }
    case RecordKind.removedItem:
      let found = try RemovedRecord(decoding: content, record.body)
      encoded = found.encoded
      let known = Listing.fields(found.record).merging(
        ["removed": "\(found.removed.milliseconds)"]) { known, _ in known }
      fields = known.merging(try Self.unknown(body)) { known, _ in known }
    case RecordKind.defaultUser:
      let found = try DefaultRecord(decoding: content, record.body)
      encoded = found.encoded
      fields = Listing.fields(found)
    case RecordKind.policyRule:
      let found = try PolicyRuleRecord(decoding: content, record.body)
      encoded = found.unknownTag == nil ? found.encoded : body
      fields = Listing.fields(found).merging(try Self.unknown(body)) { known, _ in known }
    case RecordKind.tree:
      let found = try TreeRecord(decoding: content, record.body)
      encoded = found.encoded
      fields = [
        "host": String(decoding: found.host, as: UTF8.self),
        "account": String(decoding: found.account, as: UTF8.self),
        "level": "\(found.level)", "number": "\(found.number)",
        "directory": found.directory.encoded.hex,
      ].filter { !$0.value.isEmpty }
    default:
      if kind == RecordKind.logEntry { _ = try LogRecord(decoding: content, record.body) }
      _ = try PastRecord(kind: kind, content, record.body)
      var writer = FieldWriter(keeping: try Self.all(body))
      encoded = writer.finish()
      fields = nil
    }
  }

  private static func all(_ body: [UInt8]) throws(VaultError) -> [UnknownField] {
    var reader = FieldReader(body, 0..<body.count)
    var fields: [UnknownField] = []
    while let field = try reader.next() { fields.append(reader.unknown(field)) }
    return fields
  }

  /// The fields of a previous secret after its id.
  private static let previousTags = Set(
    [
      FieldTag.created, .modified, .secretKind, .sealedSecret, .largeSecret, .expires, .removed,
      .keptUntil,
    ].map(\.rawValue))

  /// The fields that only entries of the log have.
  private static let logTags: Set<FieldTag> = [
    .logOperation, .logProgram, .logUser, .logHost, .logAttributes, .logCount, .logName,
  ]

  private static func unknown(
    _ body: [UInt8], where isForeign: (UInt32) -> Bool = { _ in false }
  ) throws(VaultError) -> [String: String] {
    let fields = try all(body).filter { field in
      let tag = FieldTag(rawValue: field.tag)
      let isKnown = tag.map { !logTags.contains($0) } ?? (Attribute(rawValue: field.tag) != nil)
      return !isKnown || isForeign(field.tag)
    }
    return Dictionary(
      fields.map { ("unknown-\($0.tag)", $0.value.hex) }, uniquingKeysWith: { first, _ in first })
  }
}
