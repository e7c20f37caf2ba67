import SecureMemory
import VaultModel

/// Reads Git's `.git-credentials`: one URL a line with user and password, percent-encoded.
///
/// - Source: git-credential-store(1).
struct GitCredentialsReader: EntryReader {
  private let lines: LineReader
  private let options: ReadingOptions

  init(_ source: ByteSource, _ options: ReadingOptions) throws(VaultError) {
    lines = try LineReader(source)
    self.options = options
  }

  mutating func next() throws(VaultError) -> Entry? {
    while try lines.next() {
      let place = Place.line(lines.line)
      if let problem = lines.problem { return Entry(place, .rejected(problem)) }
      let first = lines.bytes.withRawBytes { bytes in
        Bytes.trimmed(bytes).first.map { Bytes.at(bytes, $0) }
      }
      guard let first else { continue }
      guard first != UInt8(ascii: "#") else {
        return Entry(place, .leftOut(.notAnEntry), title: "comment")
      }
      // Git ends every line.
      guard lines.isTerminated else { return Entry(place, .rejected(Entry.cutAtItsEnd)) }
      do throws(VaultError) {
        return try lines.bytes.withRawBytes { (bytes) throws(VaultError) in
          try entry(bytes, place)
        }
      } catch {
        let title = lines.bytes.withRawBytes(Self.host)
        return Entry(place, .rejected(error.text), title: title)
      }
    }
    return nil
  }

  /// Returns the host of a line that is no entry; empty without a user, since what is there then
  /// may be a password.
  private static func host(_ bytes: RawSpan) -> String {
    let parts = AddressParts(bytes)
    guard parts.user != nil else { return "" }
    return Bytes.textOrNil(bytes.extracting(parts.rest.lowerBound..<parts.tail.lowerBound)) ?? ""
  }

  private func entry(_ bytes: RawSpan, _ place: Place) throws(VaultError) -> Entry {
    let parts = AddressParts(bytes)
    guard let scheme = parts.scheme else {
      throw VaultError(.invalidData, "not a URL with a scheme and '://'")
    }
    guard let user = parts.user, let password = parts.password else {
      throw VaultError(.invalidData, "no user and password before '@'")
    }
    let url = try url(
      try Bytes.text(bytes.extracting(scheme), "scheme"), bytes.extracting(parts.rest))
    var draft = EntryDraft(place, path: .scope, options)
    draft.addAddress(url)
    draft.account = try Bytes.decodedText(bytes.extracting(user), "user")
    try Bytes.withDecoded(bytes.extracting(password), "password") { (bytes) throws(VaultError) in
      if let problem = Bytes.problem(bytes) {
        throw VaultError(.invalidData, "password: \(problem)")
      }
      try draft.read(secret: bytes)
    }
    draft.origin = "git"
    return draft.entry()
  }

  /// Reads the host and what follows it; Git also encodes the colons of ports and IPv6 addresses,
  /// and a path of Git has no fragment.
  private func url(_ scheme: String, _ rest: RawSpan) throws(VaultError) -> URLReference {
    let end = (0..<rest.byteCount).first { Bytes.at(rest, $0).endsAuthority } ?? rest.byteCount
    let authority = try Bytes.decodedText(rest.extracting(0..<end), "host")
    // Encoded, these would move the end of the host.
    guard !authority.utf8.contains(where: { $0.endsAuthority || $0 == UInt8(ascii: "@") }) else {
      throw VaultError(.invalidData, "host: a character that no host has")
    }
    let path = try Bytes.text(rest.extracting(end..<rest.byteCount), "path")
    return try URLReference("\(scheme)://\(authority)\(path.replacing("#", with: "%23"))")
  }
}
