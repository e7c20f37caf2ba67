import VaultModel

/// The operand that names items, REF: the beginning of an id, a URL, a host, a service or a label.
///
/// The vault decides which of these it is: the ways to read it are tried in this order, and the
/// first that has a match counts.
enum Reference {
  /// The forms of a reference, for help and manual.
  static let explanation =
    "the first six or more characters of an id, a URL, a host (git.example.com,"
    + " ann@git.example.com:8443, git.example.com/team), a service or a label, tried in this order"

  /// Returns the ways to read a reference, in the order in which they are tried.
  ///
  /// - Parameters:
  ///   - text: The reference.
  ///   - base: The conditions of options, which hold in each reading.
  ///   - isLiteral: Whether a path is that of the item itself, not of a request.
  /// - Returns: One or more. A reading is left out if an option names a part of it already.
  /// - Throws: ``VaultError/Code/invalidArgument`` for an empty text, one that holds a password, a
  ///   URL that is wrong, and one of which options name every reading. The text is not repeated,
  ///   because it may be a secret that was typed by mistake.
  static func readings(
    _ text: String, in base: Reading, isLiteral: Bool
  ) throws(VaultError) -> [Reading] {
    guard !text.isEmpty else { throw VaultError(.invalidArgument, "the operand is empty") }
    if text.contains("://") {
      let url = try base.at(url(text), isLiteral: isLiteral)
      return [url] + named(text, in: base, withLabel: false)
    }
    var readings: [Reading] = []
    if isID(text), let id = try base.withID(text) { readings.append(id) }
    if let place = try HostReference(text) { readings += place.readings(in: base, isLiteral) }
    readings += named(text, in: base, withLabel: true)
    guard !readings.isEmpty else { throw Reading.namedTwice }
    return readings
  }

  /// Returns the readings as a service and as a label.
  private static func named(_ text: String, in base: Reading, withLabel: Bool) -> [Reading] {
    var readings: [Reading] = []
    if let service = base.ofService(text) { readings.append(service) }
    if withLabel, let label = base.labelled(text) { readings.append(label) }
    return readings
  }

  static func url(_ text: String) throws(VaultError) -> URLReference {
    let url = try URLReference(text)
    guard !url.hasPassword else { throw holdsPassword("URL") }
    return url
  }

  static func holdsPassword(_ what: String) -> VaultError {
    VaultError(
      .invalidArgument, "the \(what) holds a password: secrets are never read from arguments")
  }

  static let wholeID = 26
  private static let shortestID = 6

  /// Returns whether it has the form of an id or of the prefix of one, in Crockford's base 32.
  static func isID(_ text: String) -> Bool {
    (shortestID...wholeID).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte | 0x20 {
        case UInt8(ascii: "u"): false
        case UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
      }
  }
}

/// A host as people type it: `[USER@]HOST[:PORT][/PATH]`, without a protocol.
struct HostReference {
  let user: String?
  let url: URLReference

  /// Reads a host; nil if the text cannot be one.
  ///
  /// The user ends at the last `@` before the path, so that it can be an address of mail, and is
  /// taken as it is typed. An IPv6 address needs no brackets if no port follows it.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if a password is in it.
  init?(_ text: String) throws(VaultError) {
    var authority = text.prefix { !"/?#".contains($0) }
    let rest = text[authority.endIndex...]
    let at = authority.lastIndex(of: "@")
    let userInfo = at.map { authority[..<$0] }
    if let at { authority = authority[authority.index(after: at)...] }
    let isAddress = !authority.hasPrefix("[") && authority.count { $0 == ":" } > 1
    guard !authority.isEmpty,
      let url = Self.url(isAddress ? "[\(authority)]\(rest)" : "\(authority)\(rest)")
    else { return nil }
    guard userInfo?.contains(":") != true else { throw Reference.holdsPassword("operand") }
    user = userInfo.map(String.init)
    self.url = url
  }

  /// Returns the readings: the port as it is typed, then as the default of a protocol that an item
  /// has instead of it.
  func readings(in base: Reading, _ isLiteral: Bool) -> [Reading] {
    guard let plain = base.at(self, isLiteral: isLiteral) else { return [] }
    guard let port = url.port else { return [plain] }
    let protocols = Option.Value.protocols.map(NetworkProtocol.init(rawValue:))
      .filter { $0.defaultPort == port }
    return [plain] + protocols.compactMap { plain.of($0) }
  }

  private static func url(_ place: String) -> URLReference? {
    do throws(VaultError) {
      return try URLReference("https://" + place)
    } catch {
      return nil
    }
  }
}
