import TestSupport
import Testing
import VaultModel

@testable import SealedTree

@Suite("fields")
struct FieldTests {
  let damaged = VaultError(.damaged, "")

  // MARK: Tags

  @Test("a field that holds an attribute has its number", arguments: Attribute.all)
  func tag(_ attribute: Attribute) {
    guard let tag = FieldTag(rawValue: attribute.rawValue & 0xFFFF) else { return }
    let others: [Attribute: String] = [
      .service: "server", .isInvisible: "flags", .isNegative: "flags", .secret: "sealedSecret",
    ]
    #expect("\(tag)" == others[attribute] ?? "\(attribute)")
  }

  // MARK: Varints

  static let varints: [(UInt32, [UInt8])] = [
    (0, [0]), (1, [1]), (127, [0x7F]), (128, [0x80, 1]), (300, [0xAC, 2]), (16_383, [0xFF, 0x7F]),
    (16_384, [0x80, 0x80, 1]), (1 << 21, [0x80, 0x80, 0x80, 1]),
    (1 << 28, [0x80, 0x80, 0x80, 0x80, 1]), (.max, [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]),
  ]

  @Test("a number has one encoding as varint, the shortest", arguments: varints)
  func varint(_ number: UInt32, _ bytes: [UInt8]) throws {
    var written: [UInt8] = []
    written.append(varint: number)
    #expect(written == bytes)
    var position = 1
    let inside = [0xFF] + bytes + [0xFF]
    #expect(try inside.varint(at: &position, end: inside.count) == number)
    #expect(position == 1 + bytes.count)
    for end in 1..<1 + bytes.count {
      position = 1
      #expect(throws: damaged) { try inside.varint(at: &position, end: end) }
    }
  }

  @Test(
    "a longer varint, or one above 2³²−1, is damaged",
    arguments: [
      [0x80, 0], [0x81, 0], [0x80, 0x80, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0x1F],
      [0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [0x80, 0x80, 0x80, 0x80, 0x10],
      [0x80, 0x80, 0x80, 0x80, 0x80, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], [],
    ] as [[UInt8]])
  func badVarint(_ bytes: [UInt8]) {
    var position = 0
    #expect(throws: damaged) { try bytes.varint(at: &position, end: bytes.count) }
  }

  // MARK: Reading

  private func fields(_ body: [UInt8]) throws(VaultError) -> [UnknownField] {
    var reader = FieldReader(body, 0..<body.count)
    var fields: [UnknownField] = []
    while let field = try reader.next() { fields.append(reader.unknown(field)) }
    return fields
  }

  @Test("fields come in order, and written again are the same bytes")
  func reading() throws {
    let body: [UInt8] = [1, 1, 0xAA, 5, 2, 1, 2, 0xC8, 1, 1, 0xBB]
    let read = try fields(body)
    #expect(read.map(\.tag) == [1, 5, 200])
    #expect(read.map(\.value) == [[0xAA], [1, 2], [0xBB]])
    var writer = FieldWriter(keeping: read)
    #expect(writer.finish() == body)
    #expect(try fields([]).isEmpty)
  }

  @Test(
    "tags that are 0, come twice or out of order, empty values and cut ones are damaged",
    arguments: [
      [0, 1, 1], [1, 1, 1, 1, 1, 2], [2, 1, 1, 1, 1, 1], [1, 0], [1], [1, 2, 1], [0x80],
      [1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1],
    ] as [[UInt8]])
  func badFields(_ body: [UInt8]) {
    #expect(throws: damaged) { try fields(body) }
  }

  @Test("a number of another size or 0 is damaged")
  func numbers() throws {
    let body: [UInt8] = [1, 2, 0x34, 0x12, 2, 1, 0, 3, 8] + [UInt8](repeating: 0xFF, count: 8)
    var reader = FieldReader(body, 0..<body.count)
    let (word, zero, long) = (
      try #require(try reader.next()), try #require(try reader.next()),
      try #require(try reader.next())
    )
    #expect(try reader.number(word) == 0x1234 as UInt16)
    #expect(try reader.number(long) == -1 as Int64)
    #expect(throws: damaged) { try reader.number(word) as UInt32 }
    #expect(throws: damaged) { try reader.number(word) as UInt8 }
    #expect(throws: damaged) { try reader.number(zero) as UInt8 }
  }

  @Test(
    "a text that is not UTF-8 or holds NUL is damaged",
    arguments: [[0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0x61, 0, 0x62], [0]]
      as [[UInt8]])
  func badText(_ bytes: [UInt8]) {
    #expect(throws: damaged) { try bytes.text(in: 0..<bytes.count) }
  }

  // MARK: Writing

  @Test("what is empty or 0 is not written")
  func absent() {
    var writer = FieldWriter()
    writer.put(FieldTag.server, "")
    writer.put(FieldTag.port, 0 as UInt16)
    writer.put(FieldTag.id, [UInt8]())
    #expect(writer.finish().isEmpty)
  }

  @Test("unknown fields are written at their places among the known ones")
  func unknownFields() throws {
    let unknown = [0, 3, 26, UInt32.max].dropFirst().map { UnknownField(tag: $0, value: [9]) }
    var writer = FieldWriter(keeping: unknown)
    writer.put(FieldTag.server, "s")
    writer.put(FieldTag.port, 443 as UInt16)
    let body = writer.finish()
    #expect(try fields(body).map(\.tag) == [1, 3, 6, 26, .max])
  }

  @Test("numbers are little-endian, of their own size")
  func writingNumbers() {
    var writer = FieldWriter()
    writer.put(FieldTag.port, 0x1234 as UInt16)
    writer.put(FieldTag.created, -2 as Int64)
    #expect(
      writer.finish() == [6, 2, 0x34, 0x12, 9, 8, 0xFE] + [UInt8](repeating: 0xFF, count: 7))
  }

  // MARK: Records

  @Test("records are read one after another, and a cut one is damaged")
  func records() throws {
    let content: [UInt8] = [1, 2, 0xA, 0xB, 99, 0, 7, 1, 0xC]
    var reader = RecordReader(content)
    var found: [(UInt8, Range<Int>)] = []
    while let record = try reader.next() { found.append((record.kind, record.body)) }
    #expect(found.map(\.0) == [1, 99, 7])
    #expect(found.map(\.1) == [2..<4, 6..<6, 8..<9])
    for count in [1, 2, 3, 5, 7, 8] {
      var reader = RecordReader(Array(content[..<count]))
      #expect(throws: damaged) { while try reader.next() != nil {} }
    }
  }
}
