/// A key of the picker.
enum PickKey: Equatable {
  case text(String)
  case enter, leave, up, down, pageUp, pageDown, first, last
  /// The last character, the last word, or all of what was typed is erased.
  case erase, eraseWord, eraseAll
  case reveal, edit, oneTimePassword, explain, remove, redraw
}

/// The keys in what a terminal sends; a character that comes in two parts is read as one.
struct PickKeys {
  private var rest: [UInt8] = []

  /// Returns the keys in bytes that were read; those that mean nothing are left out.
  mutating func read(_ bytes: [UInt8]) -> [PickKey] {
    var input = (rest + bytes)[...]
    rest = []
    var keys: [PickKey] = []
    while let byte = input.first {
      if byte == 0x1B {
        input = input.dropFirst()
        if let key = Self.sequence(&input) { keys.append(key) }
      } else if byte < 0x20 || byte == 0x7F {
        input = input.dropFirst()
        if let key = Self.control(byte) { keys.append(key) }
      } else {
        let text = Array(input.prefix { $0 >= 0x20 && $0 != 0x7F })
        input = input.dropFirst(text.count)
        let whole = Self.wholeCharacters(text)
        if input.isEmpty { rest = Array(text[whole...]) }
        if let typed = String(validating: text[..<whole], as: UTF8.self), !typed.isEmpty {
          keys.append(.text(typed))
        }
      }
    }
    return keys
  }

  private static func control(_ byte: UInt8) -> PickKey? {
    switch byte {
    case 0x0A, 0x0D: .enter
    case 0x07: .leave
    case 0x08, 0x7F: .erase
    case 0x17: .eraseWord
    case 0x15: .eraseAll
    case 0x10: .up
    case 0x0E: .down
    case 0x12: .reveal
    case 0x05: .edit
    case 0x14: .oneTimePassword
    case 0x18: .explain
    case 0x04: .remove
    case 0x0C: .redraw
    default: nil
    }
  }

  /// Reads what follows an escape character; the character alone is the key Esc.
  ///
  /// - Source: ECMA-48 §5.4, and xterm's "Control Sequences" for its keys.
  private static func sequence(_ input: inout ArraySlice<UInt8>) -> PickKey? {
    guard let kind = input.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else {
      return input.isEmpty ? .leave : nil
    }
    input = input.dropFirst()
    let parameters = String(decoding: input.prefix { (0x20...0x3F).contains($0) }, as: UTF8.self)
    input = input.dropFirst(parameters.utf8.count)
    switch input.popFirst().map({ Character(Unicode.Scalar($0)) }) {
    case "A": return .up
    case "B": return .down
    case "H": return .first
    case "F": return .last
    case "~":
      let keys: [String: PickKey] = [
        "5": .pageUp, "6": .pageDown, "1": .first, "7": .first, "4": .last, "8": .last,
      ]
      return keys[parameters]
    default: return nil
    }
  }

  /// Returns the length of the bytes without a character at their end that is not whole.
  private static func wholeCharacters(_ text: [UInt8]) -> Int {
    guard let lead = text.suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }) else {
      return text.count
    }
    let length = text[lead] < 0xC0 ? 1 : text[lead] < 0xE0 ? 2 : text[lead] < 0xF0 ? 3 : 4
    return text.count - lead < length ? lead : text.count
  }
}
