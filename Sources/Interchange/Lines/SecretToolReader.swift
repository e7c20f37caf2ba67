import SecureMemory
import VaultModel

/// Reads the output of `secret-tool search --all --unlock … 2>&1`.
///
/// An item begins with its path in brackets. Its secret can have several lines, up to the line with
/// the time when it was made; those of Git's helper are further fields.
///
/// - Source: libsecret's `secret-tool.c`; Git's `git-credential-libsecret.c`.
struct SecretToolReader: EntryReader {
  private let lines: LineReader
  private let options: ReadingOptions
  private var item: SecretToolItem?
  private var isSecret = false
  private var recognition = Recognition()

  init(_ source: ByteSource, _ options: ReadingOptions) throws(VaultError) {
    lines = try LineReader(source)
    self.options = options
  }

  mutating func next() throws(VaultError) -> Entry? {
    while try lines.next() {
      let isStart = lines.bytes.withRawBytes { bytes in
        bytes.byteCount > 2 && Bytes.at(bytes, 0) == UInt8(ascii: "[")
          && Bytes.at(bytes, bytes.byteCount - 1) == UInt8(ascii: "]")
          && Bytes.at(bytes, 1) == UInt8(ascii: "/")
      }
      recognition.add(isStart)
      if let problem = lines.problem {
        item?.reject(problem)
        continue
      }
      // The program ends every line: an attribute, or the secret, is cut.
      if !lines.isTerminated { item?.reject("the file ends in the middle of a line") }
      if isStart {
        let before = take()
        item = SecretToolItem(line: lines.line)
        isSecret = false
        if let before { return before }
      } else {
        readLine()
      }
    }
    try recognition.check(.secretTool)
    return take()
  }

  private mutating func readLine() {
    let bytes = lines.bytes.count
    if let range = lines.bytes.withRawBytes({ Bytes.range($0, after: "secret = ") }), !isSecret {
      isSecret = true
      item?.appendSecret(lines.bytes.secret(range))
    } else if isSecret, lines.bytes.withRawBytes({ Bytes.range($0, after: "created = ") }) == nil {
      item?.appendSecret(lines.bytes.secret(0..<bytes))
    } else {
      isSecret = false
      readAttribute()
    }
  }

  private mutating func readAttribute() {
    let pair = lines.bytes.withRawBytes { bytes -> (name: String, value: String)? in
      guard let text = Bytes.textOrNil(bytes), let sign = text.firstRange(of: " = ") else {
        return nil
      }
      return (String(text[..<sign.lowerBound]), String(text[sign.upperBound...]))
    }
    guard let pair else {
      // It may be a part of a secret.
      if !lines.bytes.withRawBytes({ Bytes.trimmed($0).isEmpty }) { item?.unread += 1 }
      return
    }
    switch pair.name {
    case "label": item?.label = pair.value
    case "schema": item?.schema = pair.value
    case "created": item?.setTime(\.created, pair)
    case "modified": item?.setTime(\.modified, pair)
    case _ where pair.name.hasPrefix("attribute."):
      item?.attributes[String(pair.name.dropFirst("attribute.".count))] = pair.value
    default: item?.others[pair.name] = pair.value
    }
  }

  private mutating func take() -> Entry? {
    defer { item = nil }
    return item?.entry(options)
  }
}
