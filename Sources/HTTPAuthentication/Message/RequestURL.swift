public import SecureMemory
public import VaultModel

/// The URL of an HTTP request; user and password are kept separately.
///
/// Its description and dump show neither user nor password.
public struct RequestURL: Sendable {
  /// Scheme, host and port.
  public let origin: Origin
  /// The request target in origin form: path, `/` at least, and query, without the fragment;
  /// visible ASCII.
  ///
  /// It is as written, except that characters that RFC 3986 does not allow, such as `é` or `|`, are
  /// percent-encoded. The client must send exactly this, since a Digest response is made from it.
  public let target: String
  /// The user, percent-decoded; nil without `@`.
  public let user: String?
  /// The password, percent-decoded; nil if there was none.
  public let password: Secret?

  /// Reads `http://` or `https://`, up to the path strictly: a second `@`, a backslash, blanks and
  /// control characters are refused, encoded ones too.
  ///
  /// In path and query, blanks, control characters and a `%` without two hexadecimal digits are
  /// rejected, so that none can end a line of a request. Encoded characters are not checked.
  ///
  /// The text itself cannot be wiped if it contains a password.
  ///
  /// - Parameter text: The URL, absolute.
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` saying which part is wrong, without
  ///   its text.
  /// - Source: RFC 3986 §3, RFC 9110 §4.2, RFC 9112 §3.2.1.
  public init(_ text: String) throws(VaultError) {
    let reference = try URLReference(text, ignoringPath: true)
    guard reference.protocol == .http || reference.protocol == .https else {
      throw VaultError(.invalidArgument, "url: neither http nor https")
    }
    origin = Origin(
      protocol: reference.protocol, host: reference.host,
      port: reference.port ?? reference.protocol.defaultPort ?? 0)
    user = reference.user
    // The reference has checked that the text has a scheme, "://" and an authority.
    let bytes = text.utf8
    let authority = bytes.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
    let end = authority.firstIndex { "/?#".utf8.contains($0) } ?? authority.endIndex
    password = try Self.password(authority[..<end])
    target = try Self.target(authority[end...].prefix { $0 != UInt8(ascii: "#") })
  }

  private init(_ url: RequestURL, user: String?, password: Secret?) {
    origin = url.origin
    target = url.target
    self.user = user
    self.password = password
  }

  /// The URL without user and password.
  package var withoutUserInfo: RequestURL { RequestURL(self, user: nil, password: nil) }

  /// Returns the URL with the user and password of another.
  package func with(userInfoOf other: RequestURL) -> RequestURL {
    RequestURL(self, user: other.user, password: other.password)
  }

  /// Encodes characters that are not allowed in a URI.
  private static func target(_ bytes: Substring.UTF8View) throws(VaultError) -> String {
    var target = bytes.first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
    var rest = bytes
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        let escape = rest.prefix(2)
        guard escape.count == 2, escape.allSatisfy({ $0.hexadecimalValue != nil }) else {
          throw VaultError(.invalidArgument, "url path: a % without two hexadecimal digits")
        }
        target.append(byte)
      case 0x21...0x7E where !"\"<>\\^`{|}".utf8.contains(byte): target.append(byte)
      case 0x21...0x7E, 0x80...: PercentEncoding.escape(byte) { target.append($0) }
      default: throw VaultError(.invalidArgument, "url path: a blank or a control character")
      }
    }
    return String(decoding: target, as: UTF8.self)
  }

  private static func password(_ authority: Substring.UTF8View) throws(VaultError) -> Secret? {
    guard let at = authority.firstIndex(of: UInt8(ascii: "@")) else { return nil }
    guard let colon = authority[..<at].firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let encoded = authority[authority.index(after: colon)..<at]
    var bytes = try PercentEncoding.decode(encoded, part: "url password")
    // The bytes are this function's own.
    defer { unsafe bytes.withUnsafeMutableBytes { unsafe wipe($0) } }
    // A view of bytes: every bit pattern is valid as raw bytes.
    return unsafe Secret(copying: bytes.span.bytes)
  }
}

extension RequestURL: CustomStringConvertible, CustomReflectable {
  /// The URL without user, password and fragment: visible ASCII.
  public var description: String { "\(origin)\(target)" }

  /// A mirror without children, so that a dump shows nothing of the password.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The origin of a URL: its scheme, host and port; data for one origin is not sent to another.
///
/// - Source: RFC 6454 §4.
public struct Origin: Hashable, Sendable {
  /// `http` or `https`.
  public let `protocol`: NetworkProtocol
  /// The server.
  public let host: HostName
  /// The port; the scheme's default if the URL has none.
  public let port: UInt16

  /// Whether data sent there does not leave this machine unencrypted: TLS, or a loopback host.
  package var isTrustworthy: Bool { `protocol`.isEncrypted || host.isLoopback }
}

extension Origin: CustomStringConvertible {
  /// The origin as at the start of a URL: `https://git.example.com:8443`, without a default port.
  public var description: String {
    "\(`protocol`)://\(authority)"
  }

  /// The host, and the port unless it is the default, as in `Host`.
  var authority: String {
    port == `protocol`.defaultPort ? host.urlText : "\(host.urlText):\(port)"
  }

  /// The target of a `CONNECT` to the origin: the host, and always a port.
  ///
  /// - Source: RFC 9110 §9.3.6.
  var tunnelTarget: String { "\(host.urlText):\(port)" }
}
