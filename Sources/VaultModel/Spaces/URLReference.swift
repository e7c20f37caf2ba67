/// The parts of a URL that describe a credential: everything but the password, which is never kept.
package struct URLReference: Sendable {
  /// The scheme; never unset.
  package let `protocol`: NetworkProtocol
  /// The user, percent-decoded; empty in `https://@host`, nil without `@`.
  package let user: String?
  /// Whether the URL has a password, perhaps an empty one.
  package let hasPassword: Bool
  /// The host; unset in `cert:///path`, which Git uses, but never for HTTP.
  package let host: HostName
  /// The port as written; nil if there was none.
  package let port: UInt16?
  /// The path without leading and trailing slashes, percent-decoded, with its query and without its
  /// fragment, which no server sees.
  package let path: String
  /// The path of a request there, which chooses between items that name a path;
  /// ``RequestPath/unknown`` if the URL ends with its host or port, and ``RequestPath/root`` if
  /// only a slash follows.
  package let requestPath: RequestPath

  /// Reads `scheme://[user[:password]@]host[:port][/path][?query][#fragment]`.
  ///
  /// Reading is strict if parsers are known to disagree on which host is meant: a second `@`, a
  /// backslash, blanks and control characters are refused, encoded ones too.
  ///
  /// - Parameters:
  ///   - text: The URL.
  ///   - ignoringPath: Whether path, query and fragment may be anything.
  /// - Throws: ``VaultError/Code/invalidArgument`` saying which part is wrong, without its text.
  /// - Source: RFC 3986 §3; for path and query Git's credential protocol.
  package init(_ text: String, ignoringPath: Bool = false) throws(VaultError) {
    // The text's own bytes, because a copy of it would be a copy of the password.
    let bytes = text.utf8.span
    guard let colon = bytes.firstIndex(where: { $0 == UInt8(ascii: ":") }), colon + 2 < bytes.count,
      bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
    else { throw Self.noScheme }
    let scheme = bytes.extracting(..<colon).array
    try self.init(
      NetworkProtocol(String(decoding: scheme, as: UTF8.self)), bytes.extracting((colon + 3)...),
      ignoringPath: ignoringPath)
  }

  /// Reads the part of a URL behind `scheme://`, which is UTF-8, as ``init(_:ignoringPath:)`` does.
  package init(
    _ protocol: NetworkProtocol, _ rest: Span<UInt8>, ignoringPath: Bool
  ) throws(VaultError) {
    guard `protocol` != .unset else { throw Self.noScheme }
    self.protocol = `protocol`
    let end = rest.firstIndex(where: \.endsAuthority) ?? rest.count
    var authority = rest.extracting(..<end)
    if let at = authority.firstIndex(where: { $0 == UInt8(ascii: "@") }) {
      let userInfo = authority.extracting(..<at)
      let userEnd = userInfo.firstIndex { $0 == UInt8(ascii: ":") }
      let decoded = try PercentEncoding.decode(
        userInfo.extracting(..<(userEnd ?? at)).array, part: "url user")
      user = try Self.text(decoded.span, part: "url user")
      hasPassword = userEnd != nil
      try Self.check(userInfo: userInfo)
      authority = authority.extracting((at + 1)...)
    } else {
      user = nil
      hasPassword = false
    }
    (host, port) = try Self.hostAndPort(authority)
    guard !host.isUnset || (port == nil && ![.http, .https].contains(`protocol`)) else {
      throw VaultError(.invalidArgument, "url: no host")
    }
    let target = ignoringPath ? [] : rest.extracting(end...).array
    path = try Self.path(target)
    requestPath =
      if target.isEmpty {
        .unknown
      } else {
        path.isEmpty ? .root : RequestPath(encoded: target, literal: path)
      }
  }

  private static var noScheme: VaultError {
    VaultError(.invalidArgument, "url: does not begin with a scheme and '://'")
  }

  /// Accepts RFC 3986 §3.2.1's userinfo, and bytes above ASCII, which people type.
  private static func check(userInfo: Span<UInt8>) throws(VaultError) {
    var index = 0
    while index < userInfo.count {
      let byte = userInfo[index]
      index += 1
      let isValid: Bool
      if byte == UInt8(ascii: "%") {
        isValid =
          index + 1 < userInfo.count && userInfo[index].hexadecimalValue != nil
          && userInfo[index + 1].hexadecimalValue != nil
        index += 2
      } else {
        isValid =
          byte >= 0x80 || byte.isLetter || byte.isDigit || "-._~!$&'()*+,;=:".utf8.contains(byte)
      }
      guard isValid else {
        throw VaultError(
          .invalidArgument, "url: a character before '@' that has to be percent-encoded")
      }
    }
  }

  private static func hostAndPort(
    _ bytes: Span<UInt8>
  ) throws(VaultError) -> (HostName, UInt16?) {
    guard bytes.firstIndex(where: { $0 == UInt8(ascii: "@") }) == nil else {
      throw VaultError(.invalidArgument, "url: more than one '@' before the host")
    }
    // Inside brackets colons belong to the address.
    var start = 0
    if !bytes.isEmpty, bytes[0] == UInt8(ascii: "[") {
      start = bytes.firstIndex { $0 == UInt8(ascii: "]") } ?? bytes.count
    }
    let colon = bytes.firstIndex(from: start) { $0 == UInt8(ascii: ":") } ?? bytes.count
    let host = try HostName(String(decoding: bytes.extracting(..<colon).array, as: UTF8.self))
    let digits = bytes.extracting(min(colon + 1, bytes.count)...).array
    guard !digits.isEmpty else { return (host, nil) }
    guard digits.count <= 5, digits.allSatisfy(\.isDigit),
      let port = UInt16(exactly: digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }),
      port > 0
    else { throw VaultError(.invalidArgument, "url: the port is not in 1 to 65535") }
    return (host, port)
  }

  private static func path(_ target: [UInt8]) throws(VaultError) -> String {
    let withoutFragment = target.prefix { $0 != UInt8(ascii: "#") }
    guard !withoutFragment.contains(UInt8(ascii: " ")) else {
      throw VaultError(.invalidArgument, "url: a blank in the path")
    }
    var decoded = try PercentEncoding.decode(withoutFragment, part: "url path")[...]
    let slash = UInt8(ascii: "/")
    decoded = decoded.drop { $0 == slash }
    while decoded.last == slash { decoded.removeLast() }
    return try text(decoded.span, part: "url path")
  }

  /// Returns the text of decoded bytes; a line feed in it would be a line of Git's protocol.
  private static func text(
    _ bytes: Span<UInt8>, part: StaticString
  ) throws(VaultError) -> String {
    guard bytes.firstIndex(where: \.isControl) == nil else {
      throw VaultError(.invalidArgument, "\(part): a control character")
    }
    guard let text = String(utf8: bytes) else {
      throw VaultError(.invalidArgument, "\(part): not UTF-8")
    }
    return text
  }
}
