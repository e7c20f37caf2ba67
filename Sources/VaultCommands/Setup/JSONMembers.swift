import SecureMemory
import VaultModel

/// The members of a JSON file's outermost object, found without reading values that may be secret.
///
/// Source: RFC 8259. A file that it does not fully accept is not edited.
struct JSONMembers {
  /// A member: its name as it is written, and the places of the name and the value.
  struct Member {
    let name: String
    let start: Int
    let value: Range<Int>

    var whole: Range<Int> { start..<value.upperBound }
  }

  private static let mostLevels = 64

  private let text: Secret
  private var index = 0
  /// The first byte behind the outermost brace.
  private(set) var inside = 0
  private(set) var members: [Member] = []

  /// Reads a file.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` for anything but one object.
  init(_ text: Secret) throws(VaultError) {
    self.text = text
    skipBlanks()
    guard text.byte(at: index) == UInt8(ascii: "{") else { throw Self.refusal }
    inside = index + 1
    try object(level: 0)
    skipBlanks()
    guard index == text.count else { throw Self.refusal }
  }

  private static var refusal: VaultError { VaultError(.invalidData, "it is not a JSON object") }

  private mutating func skipBlanks() {
    while let byte = text.byte(at: index), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
  }

  /// Skips the byte, if it is the next but for blanks.
  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard text.byte(at: index) == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func object(level: Int) throws(VaultError) {
    guard skip("{") else { throw Self.refusal }
    guard !skip("}") else { return }
    repeat {
      skipBlanks()
      let start = index
      try string()
      // Names are not secret; an escaped one is not compared with ours.
      let name = text.slice(start + 1..<index - 1).text
      guard skip(":") else { throw Self.refusal }
      skipBlanks()
      let value = index
      try self.value(level: level + 1)
      if level == 0 {
        members.append(Member(name: name, start: start, value: value..<index))
      }
    } while skip(",")
    guard skip("}") else { throw Self.refusal }
  }

  private mutating func value(level: Int) throws(VaultError) {
    guard level < Self.mostLevels else { throw Self.refusal }
    switch text.byte(at: index) {
    case UInt8(ascii: "{"): try object(level: level)
    case UInt8(ascii: "["):
      index += 1
      guard !skip("]") else { return }
      repeat {
        skipBlanks()
        try value(level: level + 1)
      } while skip(",")
      guard skip("]") else { throw Self.refusal }
    case UInt8(ascii: "\""): try string()
    default:
      let start = index
      while let byte = text.byte(at: index), Self.isOfWord(byte) { index += 1 }
      guard index > start else { throw Self.refusal }
    }
  }

  /// Skips a number, true, false or null, which nobody here reads.
  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "E"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  private mutating func string() throws(VaultError) {
    guard text.byte(at: index) == UInt8(ascii: "\"") else { throw Self.refusal }
    index += 1
    while let byte = text.byte(at: index), byte >= 0x20 {
      index += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == UInt8(ascii: "\"") { return }
    }
    throw Self.refusal
  }
}
