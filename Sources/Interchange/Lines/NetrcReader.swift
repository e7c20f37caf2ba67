import SecureMemory
import VaultModel

/// Reads netrc as curl does: quoted tokens with escapes, keywords in any case, comments only at the
/// start of a line.
///
/// It also reads `port`, `protocol` and `path`, which git-credential-netrc knows. An entry without
/// a protocol is for any; it gets the assumed one. Macros, comments and words that are none of these
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

/// One entry while its tokens are read.
private struct NetrcEntry {
  let line: Int
  var host: String?
  var account: String?
  var secret: Secret?
  var port: String?
  var `protocol`: String?
  var path: String?
  /// The second password of FTP.
  var others: [Secret] = []
  /// Passwords and other values behind a word that was there before.
  var passwords: [Secret] = []
  var seconds: [String] = []
  var unknownWords: [String] = []
  var isDefault = false
  /// Whether the file ends in one of its tokens.
  var mayBeCut = false
  private var problem: String?

  init(line: Int) {
    self.line = line
  }

  /// Rejects the entry for the first of its problems.
  mutating func reject(_ reason: String) { problem = problem ?? reason }

  /// Adds one of several parts; no entry that people have has as many as it can.
  mutating func add<T>(_ parts: WritableKeyPath<NetrcEntry, [T]>, _ part: T) {
    if self[keyPath: parts].count < 100 {
      self[keyPath: parts].append(part)
    } else {
      reject("too many words")
    }
  }

  func entry(_ options: ReadingOptions) -> Entry {
    let place = Place.line(line)
    if let problem { return Entry(place, .rejected(problem), title: host ?? "") }
    if isDefault { return Entry(place, .leftOut(.everyHost), title: "default") }
    var draft = EntryDraft(place, path: .scope, options)
    do throws(VaultError) {
      guard let host, !host.isEmpty else {
        throw VaultError(.invalidData, "no host after \"machine\"")
      }
      // An IPv6 address has colons of its own.
      let isAddress = host.utf8.filter { $0 == UInt8(ascii: ":") }.count > 1
      var text = isAddress && !host.hasPrefix("[") ? "[\(host)]" : host
      if let port { text += ":\(port)" }
      let scheme = try NetworkProtocol(`protocol` ?? options.assumedProtocol.rawValue)
      guard !text.utf8.contains(where: { "/?#@".utf8.contains($0) }) else {
        throw VaultError(.invalidData, "host: not a host")
      }
      draft.addAddress(try URLReference("\(scheme)://\(text)/\(path ?? "")"))
      if `protocol` == nil { draft.remark(.protocolAssumed) }
      for other in others { draft.addSecret("account", other) }
      for password in passwords { draft.addSecret("password", password) }
      for second in seconds { draft.addCustom("second", second) }
      for word in unknownWords { draft.remark(.otherField, word) }
      if mayBeCut { draft.remark(.mayBeCut) }
      draft.account = account ?? ""
      if let secret {
        try secret.withRawBytes { (bytes) throws(VaultError) in try draft.read(secret: bytes) }
      }
    } catch {
      return Entry(place, .rejected(error.text), title: host ?? "")
    }
    var entry = draft.entry()
    if entry.title.isEmpty { entry.title = host ?? "" }
    return entry
  }
}

/// The tokens of netrc in guarded memory.
private final class NetrcTokens {
  private let source: ByteSource
  /// The present token, unquoted.
  private(set) var bytes = SecretBuffer(capacity: 4096)
  /// The line that the present token begins in.
  private(set) var line = 1
  /// The reason why the present token cannot be a value; nil if it can.
  private(set) var problem: String?
  /// Whether the file ends in the last token, which no quotation mark and no line end closes.
  private(set) var endsOpen = false
  private var isAtLineStart = true
  /// The line of a comment that was passed over since the last call.
  private var comment: Int?

  init(_ source: ByteSource) throws(VaultError) {
    self.source = source
    try source.skipByteOrderMark()
  }

  /// The present token in lower case; empty if it is longer than any keyword, as a secret in a
  /// keyword's place may be.
  var keyword: String {
    guard bytes.count <= 8 else { return "" }
    return bytes.text(0..<bytes.count)?.lowercasedASCII ?? ""
  }

  func next() throws(VaultError) -> Bool {
    guard try skipBlanks() else { return false }
    bytes.removeAll()
    line = source.line
    problem = nil
    isAtLineStart = false
    if try source.skip(UInt8(ascii: "\"")) {
      try readQuoted()
    } else {
      let isWhole = try source.take(
        while: { !Bytes.isBlank($0) }, into: &bytes, limit: InterchangeLimit.record)
      // People write such files, and not every editor ends the last line.
      endsOpen = try source.peek() == nil
      if !isWhole { problem = "longer than \(InterchangeLimit.record >> 20) MiB" }
    }
    problem = problem ?? bytes.withRawBytes(Bytes.problem)
    return true
  }

  /// Returns the line of the first comment since the last call; nil if there was none.
  func takeComment() -> Int? {
    defer { comment = nil }
    return comment
  }

  /// Skips to the empty line that ends a macro.
  func skipMacro() throws(VaultError) {
    while let byte = try source.next() {
      guard byte == UInt8(ascii: "\n") else { continue }
      if try source.skip(UInt8(ascii: "\n")) { break }
      if try source.skip("\r\n") { break }
    }
    isAtLineStart = true
  }

  private func skipBlanks() throws(VaultError) -> Bool {
    while let byte = try source.peek() {
      if isAtLineStart, byte == UInt8(ascii: "#") {
        comment = comment ?? source.line
        while let next = try source.peek(), next != UInt8(ascii: "\n") { _ = try source.next() }
      } else if Bytes.isBlank(byte) {
        isAtLineStart = byte == UInt8(ascii: "\n") || isAtLineStart
        _ = try source.next()
      } else {
        return true
      }
    }
    return false
  }

  private func readQuoted() throws(VaultError) {
    while let byte = try source.next() {
      switch byte {
      case UInt8(ascii: "\""): return
      case UInt8(ascii: "\n"):
        problem = "a quotation mark that is not closed on its line"
        isAtLineStart = true
        return
      case UInt8(ascii: "\\"):
        guard let escaped = try source.next() else { break }
        switch escaped {
        case UInt8(ascii: "n"): append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r"): append(UInt8(ascii: "\r"))
        case UInt8(ascii: "t"): append(UInt8(ascii: "\t"))
        default: append(escaped)
        }
      default: append(byte)
      }
    }
    problem = "a quotation mark that is never closed"
  }

  private func append(_ byte: UInt8) {
    if bytes.count < InterchangeLimit.record {
      bytes.append(byte)
    } else {
      problem = "longer than \(InterchangeLimit.record >> 20) MiB"
    }
  }
}
