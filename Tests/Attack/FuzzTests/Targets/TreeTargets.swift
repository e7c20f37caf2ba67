import FuzzTesting
import Interchange
import SecureMemory
import VaultModel

extension FuzzTarget {
  /// A JSON document, as standard input and files of other programs bring it.
  static let json = FuzzTarget(name: "json") { bytes in
    var limits = JSONReader.Limits()
    (limits.depth, limits.string) = (16, 1000)
    let count: Int? = try reading(refusing: .invalidData, .tooLarge) { () throws(VaultError) in
      let json = JSONReader(ByteSource(secret(bytes)), limits: limits)
      let values = try FuzzTarget.count(json)
      try json.finish()
      return values
    }
    guard count != nil else { return .refused }
    let skipped: Void? = try reading(refusing: .tooLarge) { () throws(VaultError) in
      let json = JSONReader(ByteSource(secret(bytes)), limits: limits)
      try json.skip()
      try json.finish()
    }
    try require(skipped != nil, "read, and refused when it is skipped")
    try require(String(validating: bytes, as: UTF8.self) != nil, "read, and not UTF-8")
    return .read
  }

  /// Returns the number of values in a value, strings read as text and as secrets in turn.
  private static func count(_ json: JSONReader) throws(VaultError) -> Int {
    var count = 1
    switch try json.kind() {
    case .object:
      try json.beginObject()
      while try json.nextName() != nil { count += try FuzzTarget.count(json) }
    case .array:
      try json.beginArray()
      while try json.nextElement() { count += try FuzzTarget.count(json) }
    case .string: _ = try json.secret()
    case .number: try json.skip()
    case .boolean: _ = try json.boolean()
    case .null: _ = try json.isNull()
    }
    return count
  }

  static let bitwardenJSON = entries(.bitwardenJSON)
  static let enpass = entries(.enpass)
  static let onePUX = entries(.onePUX)
  static let keepassXML = entries(.keepassXML)
  static let dockerConfig = entries(.docker)
  static let export = entries(.json)

  /// Returns the target of the entries of a file of another program: read as items that a vault
  /// takes, and written in our own format and read again as the same.
  private static func entries(_ format: InterchangeFormat) -> FuzzTarget {
    FuzzTarget(name: "import-\(format.rawValue)") { bytes in
      let read: [Item]? = try reading(
        refusing: .invalidData, .tooLarge, .tooNew, .unsupported
      ) { () throws(VaultError) in try FuzzTarget.items(format, bytes) }
      guard let items = read, !items.isEmpty else { return .refused }
      var written: [UInt8] = []
      var writer = try InterchangeFormat.json.writer(
        to: ByteSink { (piece) throws(VaultError) in
          // The bytes are copied while they are valid.
          unsafe piece.withUnsafeBytes { unsafe written.append(contentsOf: $0) }
        })
      try writer.begin()
      for item in items {
        try item.validate()
        let result = try writer.write(item, isDefault: false, previous: [])
        try require(result == .written([]), "not written as it is")
      }
      try writer.end()
      let again = try FuzzTarget.items(.json, written)
      try require(again.map(\.key) == items.map(\.key), "written, and another key")
      try require(
        zip(again, items).allSatisfy { same($0.secret, $1.secret) }, "written, and another secret")
      return .read
    }
  }

  private static func same(_ one: Secret?, _ other: Secret?) -> Bool {
    guard let one, let other else { return (one == nil) == (other == nil) }
    return one.isEqual(to: other)
  }

  private static func items(
    _ format: InterchangeFormat, _ bytes: [UInt8]
  ) throws(VaultError) -> [Item] {
    var reader = try format.reader(of: ByteSource(secret(bytes)))
    var items: [Item] = []
    while let entry = try reader.next() {
      if case .items(let more) = entry.content { items += more }
    }
    return items
  }

  private static func secret(_ bytes: [UInt8]) -> Secret { Secret(copying: bytes.span) }
}
