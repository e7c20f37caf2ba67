/// The parts of a URL that describe a credential: everything but the password, which is never kept.
public struct URLReference: Sendable {
  /// The scheme; never unset.
  public let `protocol`: NetworkProtocol
  /// The user, percent-decoded; empty in `https://@host`, nil without `@`.
  public let user: String?
  /// Whether the URL has a password, perhaps an empty one.
  public let hasPassword: Bool
  /// The host; unset in `cert:///path`, which Git uses, but never for HTTP.
  public let host: HostName
  /// The port as written; nil if there was none.
  public let port: UInt16?
  /// The path without leading and trailing slashes, percent-decoded, with its query and without its
  /// fragment, which no server sees.
  public let path: String
  /// The path of a request there, which chooses between items that name a path;
  /// ``RequestPath/unknown`` if the URL ends with its host or port, and ``RequestPath/root`` if
  /// only a slash follows.
  public let requestPath: RequestPath

  /// Reads `scheme://[user[:password]@]host[:port][/path][?query][#fragment]`.
  ///
  /// Reading is strict if parsers are known to disagree on which host is meant: a second `@`, a
  /// backslash, blanks and control characters are refused, encoded ones too.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` saying which part is wrong, without its text.
  /// - Source: RFC 3986 §3; for path and query Git's credential protocol.
  public init(_ text: String) throws(VaultError) {
    try self.init(text, ignoringPath: false)
  }

  /// Reads a URL as ``init(_:)`` does; if the path is ignored, it and query and fragment may be
  /// anything.
  package init(_ text: String, ignoringPath: Bool) throws(VaultError) {
    // Slices of the text itself, because a copy of it would be a copy of the password.
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > bytes.startIndex,
      bytes[colon...].starts(with: "://".utf8)
    else {
      throw VaultError(.invalidArgument, "url: does not begin with a scheme and '://'")
    }
    `protocol` = try NetworkProtocol(String(decoding: bytes[..<colon], as: UTF8.self))
    let rest = bytes[colon...].dropFirst(3)
    let end = rest.firstIndex(where: \.endsAuthority) ?? rest.endIndex
    let authority = rest[..<end]

    let at = authority.firstIndex(of: UInt8(ascii: "@"))
    if let at {
      let userInfo = authority[..<at]
      let userEnd = userInfo.firstIndex(of: UInt8(ascii: ":"))
      user = try Self.user(userInfo[..<(userEnd ?? at)])
      hasPassword = userEnd != nil
      try Self.check(userInfo: userInfo)
    } else {
      user = nil
      hasPassword = false
    }
    (host, port) = try Self.hostAndPort(at.map { authority[$0...].dropFirst() } ?? authority)
    guard !host.isUnset || (port == nil && ![.http, .https].contains(`protocol`)) else {
      throw VaultError(.invalidArgument, "url: no host")
    }
    path = ignoringPath ? "" : try Self.path(rest[end...])
    requestPath =
      if ignoringPath || rest[end...].isEmpty {
        .unknown
      } else {
        path.isEmpty ? .root : RequestPath(encoded: rest[end...], literal: path)
      }
  }

  private typealias Bytes = Substring.UTF8View

  private static func user(_ bytes: Bytes) throws(VaultError) -> String {
    try text(PercentEncoding.decode(bytes, part: "url user"), part: "url user")
  }

  /// Accepts RFC 3986 §3.2.1's userinfo, and bytes above ASCII, which people type.
  private static func check(userInfo: Bytes) throws(VaultError) {
    var rest = userInfo
    while let byte = rest.popFirst() {
      let isValid =
        byte == UInt8(ascii: "%")
        ? rest.popFirst()?.hexadecimalValue != nil && rest.popFirst()?.hexadecimalValue != nil
        : byte >= 0x80 || byte.isLetter || byte.isDigit || "-._~!$&'()*+,;=:".utf8.contains(byte)
      guard isValid else {
        throw VaultError(
          .invalidArgument, "url: a character before '@' that has to be percent-encoded")
      }
    }
  }

  private static func hostAndPort(
    _ bytes: Bytes
  ) throws(VaultError) -> (HostName, UInt16?) {
    guard !bytes.contains(UInt8(ascii: "@")) else {
      throw VaultError(.invalidArgument, "url: more than one '@' before the host")
    }
    // Inside brackets colons belong to the address.
    let searchStart =
      bytes.first == UInt8(ascii: "[")
      ? bytes.firstIndex(of: UInt8(ascii: "]")) ?? bytes.endIndex : bytes.startIndex
    let colon = bytes[searchStart...].firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    let host = try HostName(String(decoding: bytes[..<colon], as: UTF8.self))
    let digits = bytes[colon...].dropFirst()
    guard !digits.isEmpty else { return (host, nil) }
    guard digits.count <= 5, digits.allSatisfy(\.isDigit),
      let port = UInt16(exactly: digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }),
      port > 0
    else { throw VaultError(.invalidArgument, "url: the port is not in 1 to 65535") }
    return (host, port)
  }

  private static func path(_ bytes: Bytes) throws(VaultError) -> String {
    let withoutFragment = bytes.prefix { $0 != UInt8(ascii: "#") }
    guard !withoutFragment.contains(UInt8(ascii: " ")) else {
      throw VaultError(.invalidArgument, "url: a blank in the path")
    }
    var decoded = try PercentEncoding.decode(withoutFragment, part: "url path")[...]
    let slash = UInt8(ascii: "/")
    decoded = decoded.drop { $0 == slash }
    while decoded.last == slash { decoded.removeLast() }
    return try text(Array(decoded), part: "url path")
  }

  /// Returns the text of decoded bytes; a line feed in it would be a line of Git's protocol.
  private static func text(_ bytes: [UInt8], part: StaticString) throws(VaultError) -> String {
    guard !bytes.contains(where: \.isControl) else {
      throw VaultError(.invalidArgument, "\(part): a control character")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw VaultError(.invalidArgument, "\(part): not UTF-8")
    }
    return text
  }
}

/// Percent-encoding of RFC 3986 §2.1.
package enum PercentEncoding {
  /// Returns the bytes with every `%XX` replaced by its byte, once.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` naming `part` if a `%` is not followed by two
  ///   hexadecimal digits.
  package static func decode(
    _ bytes: some Collection<UInt8>, part: StaticString
  ) throws(VaultError) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "%")) else { return Array(bytes) }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexadecimalValue,
        let low = rest.popFirst()?.hexadecimalValue
      else { throw VaultError(.invalidArgument, "\(part): a % without two hexadecimal digits") }
      decoded.append(high << 4 | low)
    }
    return decoded
  }
}
