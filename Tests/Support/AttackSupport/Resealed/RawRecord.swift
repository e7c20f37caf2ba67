import VaultCrypto
import VaultModel

/// A record as bytes: written from `Documentation/format.md` §§5.6 and 6 alone, so that it can have
/// content that no writer writes.
struct RawRecord: Sendable {
  struct Field: Sendable {
    var tag: UInt32
    var value: [UInt8]
  }

  var kind: UInt8
  var fields: [Field]
  /// Bytes that replace the fields, if there are any.
  var garbage: [UInt8]?

  init(kind: UInt8, _ fields: [(UInt32, [UInt8])]) {
    self.kind = kind
    self.fields = fields.filter { !$0.1.isEmpty }.map { Field(tag: $0.0, value: $0.1) }
      .sorted { $0.tag < $1.tag }
  }

  subscript(tag: UInt32) -> [UInt8] {
    get { fields.first { $0.tag == tag }?.value ?? [] }
    set {
      fields.removeAll { $0.tag == tag }
      guard !newValue.isEmpty else { return }
      let place = fields.firstIndex { $0.tag > tag } ?? fields.count
      fields.insert(Field(tag: tag, value: newValue), at: place)
    }
  }

  /// The bytes of the body.
  var body: [UInt8] { garbage ?? Self.encode(fields) }

  var encoded: [UInt8] {
    let body = body
    return [kind] + Self.varint(body.count) + body
  }

  static func encode(_ fields: [Field]) -> [UInt8] {
    fields.flatMap { Self.varint(Int($0.tag)) + Self.varint($0.value.count) + $0.value }
  }

  static func varint(_ number: Int) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), number)
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F | 0x80))
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  static func number(_ number: some FixedWidthInteger) -> [UInt8] {
    var bytes: [UInt8] = []
    number.appendLittleEndian(to: &bytes)
    return bytes
  }

  /// Returns its key at a level.
  ///
  /// Source: `Documentation/format.md` §5.3.
  func key(level: Int) -> [UInt8] {
    switch (kind, level) {
    case (1, 0), (2, 0), (4, 0), (5, 0), (7, 0): self[1]
    case (3, 0): [0]
    case (1, 1), (4, 1), (5, 1), (7, 1): self[2]
    case (1, 2), (4, 2), (5, 2): self[4] + [0] + self[5] + [0] + port + self[7] + [0] + self[3]
    case (2, 2): self[4] + [0] + self[5] + [0] + port + [0] + self[3]
    case (7, 2): []
    case (_, 2): self[8]
    default: []
    }
  }

  private var port: [UInt8] { self[6].isEmpty ? [0, 0] : self[6] }
}
