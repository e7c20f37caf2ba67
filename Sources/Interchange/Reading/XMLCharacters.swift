import SecureMemory
import VaultModel

/// The control characters of a document that XML 1.0 has no place for, and that some programs write
/// nevertheless, as they are or as references.
///
/// On its way into the parser, each becomes one of the last characters of Unicode's private use,
/// which no document has, and in a text that comes out of it, itself again.
final class XMLCharacters {
  private enum Reference {
    case forbidden(UInt8, length: Int)
    case other
    /// The bytes end before it.
    case incomplete
  }

  /// The first three of the four bytes in UTF-8 that stand for a control character.
  private static let mark: [UInt8] = [0xF4, 0x8F, 0xBC]
  private static let controls: [UInt8] = Array(0..<0x20)
  /// The longest reference that is looked at.
  private static let longestReference = 12
  /// The bytes that tell the encoding.
  private static let beginning = 256

  /// The bytes that were not passed on, because what they are is not known yet.
  private var rest = SecretBuffer()
  private var passed = SecretBuffer(capacity: 1 << 14)
  /// Whether the document is UTF-8; nil until its beginning was read.
  private var isUTF8: Bool?
  private var hasForbidden = false

  /// Calls `body` with the next bytes of the document, which the parser accepts.
  func withAccepted<R>(
    _ bytes: RawSpan, isLast: Bool, _ body: (RawSpan) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    passed.removeAll()
    rest.append(bytes)
    if isUTF8 == nil, isLast || rest.count >= Self.beginning {
      isUTF8 = rest.withRawBytes(Self.isUTF8)
    }
    let count = rest.withRawBytes { pass($0, isLast: isLast) }
    rest.removeFirst(count)
    return try passed.withRawBytes(body)
  }

  /// Calls `body` with the parts of a text that came out of the parser, as the document has it.
  func restore(
    _ bytes: RawSpan, _ body: (RawSpan) throws(VaultError) -> Void
  ) throws(VaultError) {
    guard hasForbidden else { return try body(bytes) }
    var (start, index) = (0, 0)
    // The parser passes on whole characters.
    while index + Self.mark.count < bytes.byteCount {
      let last = Int(Bytes.at(bytes, index + Self.mark.count)) - 0x80
      guard Self.controls.indices.contains(last),
        Self.mark.indices.allSatisfy({ Bytes.at(bytes, index + $0) == Self.mark[$0] })
      else {
        index += 1
        continue
      }
      try body(bytes.extracting(start..<index))
      // The array is not changed while its span is read.
      try body(unsafe Self.controls.span.bytes.extracting(last..<(last + 1)))
      index += Self.mark.count + 1
      start = index
    }
    try body(bytes.extracting(start..<bytes.byteCount))
  }

  /// Passes bytes on, and returns how many.
  private func pass(_ bytes: RawSpan, isLast: Bool) -> Int {
    guard let isUTF8 else { return 0 }
    guard isUTF8 else {
      passed.append(bytes)
      return bytes.byteCount
    }
    var (start, index) = (0, 0)
    func end(_ count: Int, _ control: UInt8) {
      passed.append(bytes.extracting(start..<index))
      for byte in Self.mark + [0x80 + control] { passed.append(byte) }
      hasForbidden = true
      index += count
      start = index
    }
    while index < bytes.byteCount {
      switch Bytes.at(bytes, index) {
      case UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): index += 1
      case let control where control < 0x20: end(1, control)
      case UInt8(ascii: "&"):
        switch Self.reference(bytes.extracting(index..<bytes.byteCount)) {
        case .forbidden(let control, let length): end(length, control)
        case .incomplete where !isLast:
          passed.append(bytes.extracting(start..<index))
          return index
        case .incomplete, .other: index += 1
        }
      default: index += 1
      }
    }
    passed.append(bytes.extracting(start..<index))
    return index
  }

  /// Reads the reference that the bytes begin with, such as `&#x1F;`.
  private static func reference(_ bytes: RawSpan) -> Reference {
    var (number, isHexadecimal) = (0, false)
    for index in 1..<longestReference {
      guard index < bytes.byteCount else { return .incomplete }
      switch (index, Bytes.at(bytes, index)) {
      case (1, UInt8(ascii: "#")): continue
      case (1, _): return .other
      case (2, UInt8(ascii: "x")): isHexadecimal = true
      case ((isHexadecimal ? 4 : 3)..., UInt8(ascii: ";")):
        guard number < 0x20, !"\t\n\r".utf8.contains(UInt8(number)) else { return .other }
        return .forbidden(UInt8(number), length: index + 1)
      case (_, let byte):
        guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue,
          isHexadecimal || digit < 10
        else { return .other }
        number = min(number * (isHexadecimal ? 16 : 10) + digit, 1 << 20)
      }
    }
    return .other
  }

  /// Returns whether a document that begins so is UTF-8, which XML is unless it says otherwise.
  private static func isUTF8(_ bytes: RawSpan) -> Bool {
    let isWide = (0..<min(4, bytes.byteCount)).contains {
      [0, 0xFE, 0xFF].contains(Bytes.at(bytes, $0))
    }
    if isWide { return false }
    guard
      let start = Bytes.range(bytes, after: "<?xml")
        ?? Bytes.range(bytes, after: "\u{FEFF}<?xml"),
      let end = Bytes.firstIndex(of: UInt8(ascii: ">"), in: bytes)
    else { return true }
    let declaration = bytes.extracting(start.lowerBound..<end)
    return !Bytes.contains(declaration, "encoding") || Bytes.contains(declaration, "utf-8")
      || Bytes.contains(declaration, "UTF-8")
  }
}
