public import SecureMemory
public import VaultModel

/// The URL of an HTTP request, with the user and password that may stand in it kept apart.
///
/// Its description, its dump and its comparison know nothing of user and password.
public struct RequestURL: Sendable {
  /// Scheme, host and port.
  public let origin: Origin
  /// The path and query as written, `/` at least, without the fragment: the request target in origin form.
  public let target: String
  /// The user, percent-decoded; nil without `@`.
  public let user: String?
  /// The password, percent-decoded; nil if there was none.
  public let password: Secret?

  /// Reads `http://` or `https://`, as strictly as ``URLReference/init(_:)`` does.
  ///
  /// The text itself cannot be wiped if it holds a password; ``URLReference`` has the same gap.
  ///
  /// - Parameter text: The URL, absolute.
  /// - Throws: ``VaultError/Code/invalidArgument`` saying which part is wrong, without its text.
  /// - Source: RFC 3986 §3, RFC 9110 §4.2.
  public init(_ text: String) throws(VaultError) {
    let reference = try URLReference(text)
    guard reference.protocol == .http || reference.protocol == .https else {
      throw VaultError(.invalidArgument, "url: neither http nor https")
    }
    origin = Origin(
      protocol: reference.protocol, host: reference.host,
      port: reference.port ?? reference.protocol.defaultPort ?? 0)
    user = reference.user
    // A reference has checked that the text has a scheme, "://" and an authority.
    let bytes = text.utf8
    let authority = bytes.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
    let end = authority.firstIndex { "/?#".utf8.contains($0) } ?? authority.endIndex
    password = try Self.password(authority[..<end])
    let target = authority[end...].prefix { $0 != UInt8(ascii: "#") }
    let text = String(decoding: target, as: UTF8.self)
    self.target = target.first == UInt8(ascii: "/") ? text : "/" + text
  }

  private init(_ url: RequestURL, user: String?, password: Secret?) {
    origin = url.origin
    target = url.target
    self.user = user
    self.password = password
  }

  /// The same URL without user and password.
  public var withoutUserInfo: RequestURL { RequestURL(self, user: nil, password: nil) }

  /// The same URL with the user and password of another.
  func with(userInfoOf other: RequestURL) -> RequestURL {
    RequestURL(self, user: other.user, password: other.password)
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
  /// The URL without user and password, control characters escaped.
  public var description: String { "\(origin)\(target)" }

  /// A mirror without children, so that a dump shows nothing of the password.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
