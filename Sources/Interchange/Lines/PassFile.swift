import SecureMemory
package import VaultModel

/// Reads one file of a `pass` store, as gpg decrypts it: the password in the first line, below it
/// fields as `name: value` and other text, which is a further secret: all of it was encrypted.
///
/// - Source: <https://www.passwordstore.org>, "Data Organization".
package enum PassFile {
  /// The names of fields that hold an address, and a user's name.
  private static let addressNames: Set<String> = ["url", "uri", "website", "site", "link", "host"]
  private static let accountNames: Set<String> = [
    "user", "username", "login", "account", "email", "user name", "login name",
  ]

  /// Reads a file.
  ///
  /// Without an address in it, the path's last part that is a host's name is the server, and what
  /// follows it the account (`web/example.com/ann`). Without such a part the whole path is the
  /// service of a generic password.
  ///
  /// - Parameters:
  ///   - path: Its path in the store, without `.gpg`.
  ///   - source: Its bytes, decrypted.
  ///   - options: The protocol of hosts that have none.
  /// - Returns: The entry, whose place is the path.
  /// - Throws: Any error of the source. A fault of the file rejects the entry.
  package static func entry(
    path: String, _ source: ByteSource, _ options: ReadingOptions = ReadingOptions()
  ) throws(VaultError) -> Entry {
    let place = Place.file(path)
    let lines: LineReader
    do throws(VaultError) {
      lines = try LineReader(source)
    } catch {
      guard error.code == .invalidData else { throw error }
      return Entry(place, rejectedBy: error)
    }
    var draft = EntryDraft(place, path: .page, options)
    var hasAddress = false
    var isFirst = true
    // A key is the secret with all its lines.
    var isKey = false
    var text = SecretBuffer()
    while try lines.next() {
      if let problem = lines.problem { return Entry(place, .rejected(problem)) }
      do throws(VaultError) {
        try lines.bytes.withRawBytes { (bytes) throws(VaultError) in
          isKey = isKey || isFirst && Bytes.range(bytes, after: "-----BEGIN ") != nil
          guard !isKey else { return append(bytes, to: &text) }
          let line = try isFirst ? readFirst(bytes, into: &draft) : read(bytes, into: &draft)
          switch line {
          case .address: hasAddress = true
          case .text: append(bytes, to: &text)
          case .field: break
          }
        }
      } catch {
        return Entry(place, rejectedBy: error)
      }
      isFirst = false
    }
    do throws(VaultError) {
      try text.withRawBytes { (bytes) throws(VaultError) in
        let text = bytes.extracting(Bytes.trimmed(bytes))
        if isKey {
          try draft.read(secret: text)
        } else if draft.secret == nil {
          draft.addComment(text)
        } else {
          draft.addSecret("notes", text)
        }
      }
    } catch {
      return Entry(place, rejectedBy: error)
    }
    readPath(path, into: &draft, isPlace: !hasAddress, options)
    return draft.entry()
  }

  private enum Line {
    case field, address, text
  }

  private static func append(_ line: RawSpan, to text: inout SecretBuffer) {
    if text.count > 0 { text.append(UInt8(ascii: "\n")) }
    text.append(line)
  }

  /// Reads the first line: the password, or the only line of a file that `pass otp` made.
  private static func readFirst(
    _ bytes: RawSpan, into draft: inout EntryDraft
  ) throws(VaultError) -> Line {
    guard !EntryDraft.isKeyAddress(bytes) else {
      draft.addSecret(EntryDraft.oneTimePassword, bytes)
      return .field
    }
    try draft.read(secret: bytes)
    return .field
  }

  /// Reads a line below the first.
  private static func read(
    _ bytes: RawSpan, into draft: inout EntryDraft
  ) throws(VaultError) -> Line {
    guard Bytes.range(bytes, after: "otpauth://") == nil else {
      draft.addSecret(EntryDraft.oneTimePassword, bytes)
      return .field
    }
    guard let colon = Bytes.firstIndex(of: UInt8(ascii: ":"), in: bytes),
      colon + 1 < bytes.byteCount, Bytes.isBlank(Bytes.at(bytes, colon + 1)),
      let name = Bytes.textOrNil(bytes.extracting(0..<colon))
    else { return .text }
    let rest = bytes.extracting((colon + 1)..<bytes.byteCount)
    let value = rest.extracting(Bytes.trimmed(rest))
    let folded = name.lowercasedASCII
    if addressNames.contains(folded) {
      try draft.addAddress(value)
      return value.isEmpty ? .field : .address
    }
    if accountNames.contains(folded), draft.account.isEmpty {
      draft.account = try Bytes.text(value, "account")
    } else {
      try draft.addCustom(name, value)
    }
    return .field
  }

  /// Takes from the path what the file does not say.
  private static func readPath(
    _ path: String, into draft: inout EntryDraft, isPlace: Bool, _ options: ReadingOptions
  ) {
    draft.title = path
    guard isPlace else { return }
    let parts = path.split(separator: "/")
    guard let index = parts.lastIndex(where: { isHost(String($0)) }) else { return }
    do throws(VaultError) {
      let url = try URLReference(
        "\(options.assumedProtocol.rawValue)://\(parts[index])", ignoringPath: true)
      draft.addAddress(url)
      draft.remark(.protocolAssumed)
    } catch {
      return
    }
    if draft.account.isEmpty { draft.account = parts[(index + 1)...].joined(separator: "/") }
  }

  /// Returns whether a part of a path is a host's name with a dot, or its address, perhaps with a
  /// port.
  private static func isHost(_ part: String) -> Bool {
    do throws(VaultError) {
      let url = try URLReference("https://\(part)", ignoringPath: true)
      return url.user == nil && (url.host.isIPAddress || url.host.name.contains("."))
    } catch {
      return false
    }
  }
}
