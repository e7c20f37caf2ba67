import BusMessages
import CSecretServiceSystemd
import Glibc
import SecureMemory

/// Reads the arguments of a message.
///
/// A message is of any client: what it may cost is bounded here, before anything is made of it.
@safe struct BusReader: ~Copyable {
  /// The most values of a message, those in arrays included.
  private static let mostValues = 1 << 16
  /// The most bytes of its arrays together: a secret's most, a block of padding and parameters.
  private static let mostBytes = (1 << 20) + 64
  /// The most bytes of its texts together: some ten thousand paths.
  private static let mostTextBytes = 1 << 20

  private let message: OpaquePointer
  private var count = 0
  private var byteCount = 0
  private var textByteCount = 0
  private(set) var hasBytes = false

  /// - Parameter message: Outlives the reader.
  @unsafe init(_ message: OpaquePointer) {
    unsafe self.message = unsafe message
  }

  /// Returns the values that are left.
  ///
  /// - Throws: ``BusError`` for a type that no method takes, or too much of them.
  mutating func values() throws(BusError) -> [BusValue] {
    var values: [BusValue] = []
    while let value = try value() { values.append(value) }
    return values
  }

  /// Returns the next value; nil at the end of the message or of the container.
  private mutating func value() throws(BusError) -> BusValue? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    // The text belongs to the message, which outlives this call.
    let status = unsafe sd_bus_message_peek_type(message, &type, &contents)
    guard status > 0 else {
      guard status == 0 else { throw broken }
      return nil
    }
    count += 1
    guard count <= Self.mostValues else { throw .tooMany }
    let inner = unsafe contents.map { unsafe String(cString: $0) } ?? ""
    switch Unicode.Scalar(UInt8(bitPattern: type)) {
    case "s": return .text(try basicText(type))
    case "o": return .path(try basicText(type))
    case "b": return .flag(try basic(type, Int32(0)) != 0)
    case "t": return .number(try basic(type, UInt64(0)))
    case "u": return .status(try basic(type, UInt32(0)))
    case "h": return .descriptor(try basic(type, Int32(-1)))
    case "v": return .variant(try container(type, inner).first ?? .text(""))
    case "r": return .structure(try container(type, inner))
    case "a": return try array(inner)
    default: throw .invalid("a value of a type that no method takes")
    }
  }

  private mutating func array(_ element: String) throws(BusError) -> BusValue {
    if element == "y" { return .bytes(try bytes()) }
    let values = try container(CChar(UInt8(ascii: "a")), element)
    guard element.first == "{" else { return .list(element, values) }
    let entries = values.compactMap(\.fields).filter { $0.count == 2 }.map { ($0[0], $0[1]) }
    let parts = element.dropFirst().dropLast()
    return .dictionary(key: String(parts.prefix(1)), value: String(parts.dropFirst()), entries)
  }

  private mutating func container(
    _ type: CChar, _ contents: String
  ) throws(BusError) -> [BusValue] {
    // The text is valid during the call.
    guard unsafe sd_bus_message_enter_container(message, type, contents) > 0 else { throw broken }
    var values: [BusValue] = []
    if type == CChar(UInt8(ascii: "a")), contents.first == "{" {
      let entry = String(contents.dropFirst().dropLast())
      while unsafe sd_bus_message_at_end(message, 0) == 0 {
        count += 1
        guard count <= Self.mostValues else { throw .tooMany }
        values.append(.structure(try container(CChar(UInt8(ascii: "e")), entry)))
      }
    } else {
      values = try self.values()
    }
    guard unsafe sd_bus_message_exit_container(message) >= 0 else { throw broken }
    return values
  }

  private mutating func bytes() throws(BusError) -> Secret {
    var start: UnsafeRawPointer?
    var count = 0
    // The array belongs to the message.
    let status = unsafe sd_bus_message_read_array(
      message, CChar(UInt8(ascii: "y")), &start, &count)
    guard status >= 0 else { throw broken }
    hasBytes = true
    byteCount += count
    guard byteCount <= Self.mostBytes else { throw .tooMany }
    // `count` bytes, which are copied.
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
    return unsafe Secret(copying: bytes.bindMemory(to: UInt8.self).span)
  }

  private mutating func basicText(_ type: CChar) throws(BusError) -> String {
    var text: UnsafePointer<CChar>?
    // A text of the message, valid UTF-8 by the protocol, copied at once.
    guard unsafe sd_bus_message_read_basic(message, type, &text) > 0, let text = unsafe text else {
      throw broken
    }
    // It ends with NUL.
    textByteCount += unsafe strlen(text)
    guard textByteCount <= Self.mostTextBytes else { throw .tooMany }
    return unsafe String(cString: text)
  }

  private func basic<Number: FixedWidthInteger>(
    _ type: CChar, _ initial: Number
  ) throws(BusError) -> Number {
    var number = initial
    // Each type is read into a number of its own size.
    guard unsafe sd_bus_message_read_basic(message, type, &number) > 0 else { throw broken }
    return number
  }

  private var broken: BusError { .invalid("the message is broken") }
}
