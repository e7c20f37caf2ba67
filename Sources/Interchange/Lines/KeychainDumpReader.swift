import SecureMemory
import VaultModel

/// Reads the text of `security dump-keychain -d`.
///
/// A value is `<NULL>`, text in quotation marks, or hexadecimal digits after `0x` with the text
/// behind them. Anything that is not printable is in the hexadecimal form, so a quoted text is
/// literal.
///
/// - Source: Apple's SecurityTool, `keychain_utilities.c`.
struct KeychainDumpReader: EntryReader {
  private let lines: LineReader
  private let options: ReadingOptions
  private var item: KeychainDumpItem?
  /// Whether the next line is a secret.
  private var isData = false
  private var recognition = Recognition()

  init(_ source: ByteSource, _ options: ReadingOptions) throws(VaultError) {
    lines = try LineReader(source)
    self.options = options
  }

  mutating func next() throws(VaultError) -> Entry? {
    while try lines.next() {
      let (start, wasData) = (lines.line, isData)
      isData = false
      if wasData {
        readData()
        continue
      }
      recognition.add(begins("keychain: ") || begins("class: "))
      if let problem = lines.problem {
        item?.reject(problem)
        continue
      }
      if begins("keychain: ") {
        let before = take()
        item = KeychainDumpItem(line: start)
        if let before { return before }
      } else if begins("class: ") {
        if item == nil || item?.itemClass != nil {
          let before = take()
          item = KeychainDumpItem(line: start)
          readClass()
          if let before { return before }
        } else {
          readClass()
        }
      } else if begins("data:") {
        isData = true
        item?.hasData = true
      } else if begins("    ") {
        readAttribute()
      } else if !begins("attributes:"), !begins("version: "), lines.bytes.count > 0 {
        item?.unread.append("line \(start)")
      }
    }
    try recognition.check(.keychainDump)
    // The program ends every line; half of a value in hexadecimal digits is also a value.
    if !lines.isTerminated { item?.reject(Entry.cutAtItsEnd) }
    return take()
  }

  private func begins(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    return lines.bytes.count >= count
      && lines.bytes.withRawBytes { Bytes.equal($0.extracting(first: count), text) }
  }

  private mutating func readData() {
    if let problem = lines.problem {
      item?.reject(problem)
      return
    }
    let value = lines.bytes.withRawBytes { KeychainDumpValue($0, from: 0) }
    switch value {
    case .none: break
    case .quoted(let range): item?.secret = lines.bytes.secret(range)
    case .hexadecimal(let range):
      item?.secret = lines.bytes.withRawBytes { bytes in
        // Every byte of the new memory is written: it is half as long as the digits.
        unsafe Secret(count: range.count / 2) { memory in
          for index in 0..<memory.count {
            unsafe memory[index] = KeychainDumpValue.byte(bytes, range.lowerBound + 2 * index)
          }
        }
      }
    case .malformed: item?.reject("data: malformed")
    }
  }

  /// Reads `    "acct"<blob>="ann"` or `    0x00000007 <blob>="label"`.
  private mutating func readAttribute() {
    let parsed = lines.bytes.withRawBytes { bytes -> (name: String, value: [UInt8]?)? in
      guard let equals = Bytes.firstIndex(of: UInt8(ascii: "="), in: bytes),
        let open = Bytes.firstIndex(of: UInt8(ascii: "<"), in: bytes), open < equals, open > 4,
        let name = Bytes.textOrNil(bytes.extracting(4..<open))
      else { return nil }
      let range: Range<Int>
      switch KeychainDumpValue(bytes, from: equals + 1) {
      case .none: return nil
      case .malformed: return (name, nil)
      case .quoted(let quoted): range = quoted
      case .hexadecimal(let digits):
        let value = stride(from: digits.lowerBound, to: digits.upperBound, by: 2).map {
          KeychainDumpValue.byte(bytes, $0)
        }
        return (name, value)
      }
      return (name, Bytes.array(bytes.extracting(range)))
    }
    guard let parsed else { return }
    let name = parsed.name.filter { $0 != "\"" && $0 != " " }
    if let value = parsed.value {
      item?.attributes[name] = value
    } else {
      item?.unread.append(name)
    }
  }

  private mutating func readClass() {
    let name = lines.bytes.withRawBytes { bytes -> String in
      let start = "class: ".utf8.count
      guard case .quoted(let range) = KeychainDumpValue(bytes, from: start) else { return "" }
      return Bytes.textOrNil(bytes.extracting(range)) ?? ""
    }
    item?.itemClass = name
  }

  private mutating func take() -> Entry? {
    defer { item = nil }
    return item?.entry(options)
  }
}

/// The place of a value in a line.
private enum KeychainDumpValue {
  case none
  /// The text, without its quotation marks.
  case quoted(Range<Int>)
  /// An even number of digits, without `0x`.
  case hexadecimal(Range<Int>)
  case malformed

  init(_ bytes: RawSpan, from start: Int) {
    let all = Bytes.trimmed(bytes.extracting(start..<bytes.byteCount))
    let range = (start + all.lowerBound)..<(start + all.upperBound)
    let text = bytes.extracting(range)
    if range.isEmpty || Bytes.equal(text, "<NULL>") {
      self = .none
    } else if Bytes.at(text, 0) == UInt8(ascii: "\"") {
      let isClosed = range.count > 1 && Bytes.at(bytes, range.upperBound - 1) == UInt8(ascii: "\"")
      self = isClosed ? .quoted((range.lowerBound + 1)..<(range.upperBound - 1)) : .malformed
    } else if range.count > 2, Bytes.equal(text.extracting(0..<2), "0x") {
      var end = range.lowerBound + 2
      while end < range.upperBound, Bytes.at(bytes, end).hexadecimalValue != nil { end += 1 }
      let digits = (range.lowerBound + 2)..<end
      let isWhole = end == range.upperBound || Bytes.isBlank(Bytes.at(bytes, end))
      self = isWhole && digits.count % 2 == 0 && !digits.isEmpty ? .hexadecimal(digits) : .malformed
    } else {
      self = .malformed
    }
  }

  /// Returns the byte that two hexadecimal digits stand for.
  static func byte(_ bytes: RawSpan, _ index: Int) -> UInt8 {
    let high = Bytes.at(bytes, index).hexadecimalValue ?? 0
    return high << 4 | (Bytes.at(bytes, index + 1).hexadecimalValue ?? 0)
  }
}
