import SecureMemory
package import VaultModel

/// The address of an entry, split before any of it becomes text, because it may hold a password.
///
/// `https://ann:secret@example.com/path` and `example.com/path` are both addresses.
package struct AddressParts {
  /// The scheme as written; nil without `://`.
  package private(set) var scheme: Range<Int>?
  /// The user's percent-encoded bytes; nil without `@`.
  package private(set) var user: Range<Int>?
  /// The password's percent-encoded bytes; nil without one.
  package private(set) var password: Range<Int>?
  /// The host and everything after it.
  package private(set) var rest: Range<Int>
  /// The rest after the host and the port: path, query and fragment.
  package private(set) var tail: Range<Int>
  /// Whether it names no server, as `mailto:ann@example.com`: no part is a user's password.
  let isText: Bool

  /// Splits at the first `://`, the last `@` of the authority, and the user's first colon.
  package init(_ bytes: RawSpan) {
    let all = Bytes.trimmed(bytes)
    var start = all.lowerBound
    if let colon = Bytes.firstIndex(of: UInt8(ascii: ":"), in: bytes), all.contains(colon),
      colon + 2 < all.upperBound, Bytes.at(bytes, colon + 1) == UInt8(ascii: "/"),
      Bytes.at(bytes, colon + 2) == UInt8(ascii: "/")
    {
      scheme = start..<colon
      start = colon + 3
    }
    isText = scheme == nil && Self.isText(bytes.extracting(all))
    guard !isText else {
      (rest, tail) = (all, all.upperBound..<all.upperBound)
      return
    }
    let end = (start..<all.upperBound).first { Bytes.at(bytes, $0).endsAuthority }
    let authority = start..<(end ?? all.upperBound)
    tail = authority.upperBound..<all.upperBound
    rest = start..<all.upperBound
    let mark = UInt8(ascii: "@")
    // Few have one, and no byte is looked at twice for that.
    guard Bytes.firstIndex(of: mark, in: bytes.extracting(authority)) != nil,
      let at = authority.last(where: { Bytes.at(bytes, $0) == mark })
    else { return }
    rest = (at + 1)..<all.upperBound
    let colon = (start..<at).first { Bytes.at(bytes, $0) == UInt8(ascii: ":") }
    user = start..<(colon ?? at)
    password = colon.map { ($0 + 1)..<at }
  }
}

extension AddressParts {
  /// The schemes of addresses that name no server.
  private static let textSchemes: Set<String> = [
    "about", "acct", "data", "im", "javascript", "mailto", "sip", "sips", "sms", "tel", "urn",
    "xmpp",
  ]

  /// Returns whether an address without `://` has a scheme that is followed by any text.
  private static func isText(_ bytes: RawSpan) -> Bool {
    guard let colon = Bytes.firstIndex(of: UInt8(ascii: ":"), in: bytes), colon <= 10,
      let scheme = Bytes.textOrNil(bytes.extracting(0..<colon))
    else { return false }
    return textSchemes.contains(scheme.lowercasedASCII)
  }
}

/// The place that an address names.
package enum Address: Sendable {
  /// A server; the user is the one in the address.
  case network(URLReference, user: String?)
  /// An application or a file: nothing that a network client could ask for, with its name and the
  /// whole address.
  case app(String, whole: String)
  /// Any other text.
  case text(String)

  package var isServer: Bool { if case .network = self { true } else { false } }

  /// The address as people write it.
  package var name: String {
    switch self {
    case .app(let text, _), .text(let text): return text
    case .network(let url, _):
      let isIPv6 = url.host.isIPAddress && url.host.name.contains(":")
      let host = isIPv6 ? "[\(url.host)]" : "\(url.host)"
      let port = url.port.map { ":\($0)" } ?? ""
      return "\(url.protocol)://\(host)\(port)" + (url.path.isEmpty ? "" : "/\(url.path)")
    }
  }

  /// The meaning of an address's path.
  package enum PathMeaning: Sendable {
    /// The credential is for what is at and below the path, as Git means it.
    case scope
    /// The path is that of the page with the form; the credential is for the whole server, as
    /// browsers and password managers fill it in.
    case page
  }

  /// Reads an address, without the password in it; nil if it is empty.
  ///
  /// - Parameters:
  ///   - bytes: The address, with blanks around it or not.
  ///   - parts: Its parts.
  ///   - path: The meaning of its path.
  ///   - assumed: The protocol of an address without one.
  /// - Throws: ``VaultError/Code/invalidArgument`` for a URL whose host or port is none, and
  ///   ``VaultError/Code/invalidData`` for one that is not UTF-8.
  package init?(
    _ bytes: RawSpan, _ parts: AddressParts, path: PathMeaning, assumed: NetworkProtocol
  ) throws(VaultError) {
    let rest = bytes.extracting(parts.rest)
    guard Bytes.areUTF8(rest) else { throw VaultError(.invalidData, "address: not UTF-8") }
    let ignoringPath = path == .page
    guard let range = parts.scheme else {
      guard !rest.isEmpty else { return nil }
      guard !parts.isText else {
        self = .text(try Bytes.text(rest, "address"))
        return
      }
      do throws(VaultError) {
        let url = try URLReference(assumed, Span(_bytes: rest), ignoringPath: ignoringPath)
        self = .network(url, user: nil)
      } catch {
        self = .text(try Bytes.text(rest, "address"))
      }
      return
    }
    let scheme = try Bytes.text(bytes.extracting(range), "address").lowercasedASCII
    if Self.appSchemes.contains(scheme) {
      let name = try Bytes.text(rest, "address")
      // The text before the name is a key of the application, unless it has a password's form.
      let whole =
        parts.password == nil
        ? try Bytes.text(bytes.extracting(range.lowerBound..<parts.rest.upperBound), "address")
        : "\(scheme)://\(name)"
      self = .app(name.hasSuffix("/") ? String(name.dropLast()) : name, whole: whole)
      return
    }
    let url = try URLReference(
      NetworkProtocol(scheme == Self.firefoxProxy ? "http-proxy" : scheme), Span(_bytes: rest),
      ignoringPath: ignoringPath)
    self = .network(
      url,
      user: try parts.user.map { (range) throws(VaultError) in
        let decoded = try PercentEncoding.decode(
          Bytes.array(bytes.extracting(range)), part: "address")
        guard let text = String(validating: decoded, as: UTF8.self) else {
          throw VaultError(.invalidData, "address: not UTF-8")
        }
        return text
      })
  }

  /// The scheme of an HTTP proxy's address.
  private static let firefoxProxy = "moz-proxy"

  private static let appSchemes: Set<String> = [
    "android", "androidapp", "iosapp", "app", "chrome", "chrome-extension", "moz-extension",
    "file", "about", "data", "cmd", "otpauth",
  ]
}
