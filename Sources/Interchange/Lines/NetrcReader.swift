import SecureMemory
import VaultModel

/// Reads netrc as curl does: quoted tokens with escapes, keywords in any case, comments only at the
/// start of a line.
///
/// It also reads `port`, `protocol` and `path`, which git-credential-netrc knows. An entry without
/// a protocol is for any; it gets the assumed one. Macros, comments and other words
/// are named.
///
/// - Source: curl's `netrc.c`; git-credential-netrc.
struct NetrcReader: EntryReader {
  private let tokens: NetrcTokens
  private let options: ReadingOptions
  /// The entry that is being read; nil before the first.
  private var entry: NetrcEntry?
  private var recognition = Recognition()

  init(_ source: ByteSource, _ options: ReadingOptions) throws(VaultError) {
    tokens = try NetrcTokens(source)
    self.options = options
  }

  mutating func next() throws(VaultError) -> Entry? {
    while try tokens.next() {
      recognition.add(["machine", "default", "macdef"].contains(tokens.keyword))
      switch tokens.keyword {
      case "machine":
        let before = take()
        entry = NetrcEntry(line: tokens.line)
        try readValue(\.host)
        if let before { return before }
      case "default":
        let before = take()
        entry = NetrcEntry(line: tokens.line)
        entry?.isDefault = true
        if let before { return before }
      case "login", "user": try readValue(\.account)
      case "password": try readPassword()
      case "account":
        if try tokens.next() {
          entry?.add(\.others, tokens.bytes.secret(0..<tokens.bytes.count))
        }
      case "port": try readValue(\.port)
      case "protocol": try readValue(\.protocol)
      case "path": try readValue(\.path)
      case "macdef":
        let place = Place.line(tokens.line)
        try tokens.skipMacro()
        return Entry(place, .leftOut(.notAnEntry), title: "macdef")
      // It may be anything, so that it is not repeated.
      default: entry?.add(\.unknownWords, "a word in line \(tokens.line)")
      }
      if let comment = comment() { return comment }
    }
    if let comment = comment() { return comment }
    try recognition.check(.netrc)
    entry?.mayBeCut = tokens.endsOpen
    return take()
  }

  /// Returns the comment that was passed over, as left out.
  private func comment() -> Entry? {
    tokens.takeComment().map { Entry(.line($0), .leftOut(.notAnEntry), title: "comment") }
  }

  /// Takes the next token as a value that is not a secret.
  private mutating func readValue(
    _ part: WritableKeyPath<NetrcEntry, String?>
  ) throws(VaultError) {
    guard try tokens.next() else { return }
    if let problem = tokens.problem { entry?.reject(problem) }
    let text = tokens.bytes.text(0..<tokens.bytes.count)
    if let text, let known = entry?[keyPath: part], !known.hasSameBytes(as: text) {
      entry?.add(\.seconds, text)
    } else {
      entry?[keyPath: part] = text
    }
  }

  private mutating func readPassword() throws(VaultError) {
    guard try tokens.next() else { return }
    if let problem = tokens.problem { entry?.reject(problem) }
    let secret = tokens.bytes.secret(0..<tokens.bytes.count)
    if entry?.secret == nil { entry?.secret = secret } else { entry?.add(\.passwords, secret) }
  }

  /// Returns the entry that has been read, and forgets it.
  private mutating func take() -> Entry? {
    guard let read = entry else { return nil }
    entry = nil
    return read.entry(options)
  }
}
