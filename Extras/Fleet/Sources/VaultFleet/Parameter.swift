/// A value of a statement's parameter, as PostgreSQL's binary format has it.
///
/// Source: <https://www.postgresql.org/docs/15/protocol-overview.html#PROTOCOL-FORMAT-CODES>, and
/// `array_recv` for arrays.
enum Parameter {
  case bytes([UInt8])
  case integer(Int64)
  case text(String)
  case smallIntegers([Int16])
  case integers([Int64])
  /// Nil is NULL.
  case byteStrings([[UInt8]?])

  private enum ObjectID {
    static let bytea: UInt32 = 17
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let text: UInt32 = 25
    static let int2Array: UInt32 = 1005
    static let int8Array: UInt32 = 1016
    static let byteaArray: UInt32 = 1001
  }

  /// The type's number, the same in every PostgreSQL.
  var type: UInt32 {
    switch self {
    case .bytes: ObjectID.bytea
    case .integer: ObjectID.int8
    case .text: ObjectID.text
    case .smallIntegers: ObjectID.int2Array
    case .integers: ObjectID.int8Array
    case .byteStrings: ObjectID.byteaArray
    }
  }

  /// Returns a limit of time as a setting has it, in milliseconds: never 0, which would be no
  /// limit.
  static func milliseconds(_ time: Duration) -> Parameter {
    .text("\(Int32(min(max(1, time / .milliseconds(1)), Double(Int32.max))))")
  }

  var encoded: [UInt8] {
    switch self {
    case .bytes(let bytes): return bytes
    case .integer(let value): return Self.bigEndian(value)
    case .text(let text): return Array(text.utf8)
    case .smallIntegers(let values):
      return Self.array(of: ObjectID.int2, values.map(Self.bigEndian))
    case .integers(let values):
      return Self.array(of: ObjectID.int8, values.map(Self.bigEndian))
    case .byteStrings(let values): return Self.array(of: ObjectID.bytea, values)
    }
  }

  private static func array(of type: UInt32, _ values: [[UInt8]?]) -> [UInt8] {
    let hasNull: Int32 = values.contains { $0 == nil } ? 1 : 0
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20 + values.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
    // The number of dimensions; then each one's length and first index.
    bytes += bigEndian(Int32(1)) + bigEndian(hasNull) + bigEndian(type)
    bytes += bigEndian(Int32(values.count)) + bigEndian(Int32(1))
    for value in values {
      bytes += bigEndian(value.map { Int32($0.count) } ?? -1)
      bytes += value ?? []
    }
    return bytes
  }

  private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    (1...value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (value.bitWidth - 8 * $0)) }
  }
}

/// The values of one row of an answer, nil for NULL.
struct AnswerRow {
  let values: [[UInt8]?]

  /// The number of all values' bytes.
  var byteCount: Int { values.reduce(0) { $0 + ($1?.count ?? 0) } }

  /// About the number of bytes that the row takes in memory.
  var memory: Int { byteCount + 96 }

  /// Returns a column's value; nil for NULL, and if the server sent fewer columns.
  func value(_ column: Int) -> [UInt8]? {
    values.indices.contains(column) ? values[column] : nil
  }

  /// Returns a column's bytes; none for NULL.
  func bytes(_ column: Int) -> [UInt8] { value(column) ?? [] }

  /// Returns a column's integer of any width; nil for another length.
  func integer(_ column: Int) -> Int64? {
    guard let bytes = value(column), [2, 4, 8].contains(bytes.count) else { return nil }
    let negative: Int64 = bytes[0] & 0x80 == 0 ? 0 : -1
    return bytes.reduce(negative) { $0 << 8 | Int64($1) }
  }

  func text(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }
}

/// A statement with its parameters.
struct Query {
  let sql: StaticString
  let parameters: [Parameter]

  init(_ sql: StaticString, _ parameters: Parameter...) {
    (self.sql, self.parameters) = (sql, parameters)
  }
}
