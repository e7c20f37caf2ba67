import VaultModel

extension ChallengeResponder {
  /// A scope in which a server's credential is reused: a path of one origin and everything below
  /// it.
  ///
  /// Paths are compared by segments in normal form: `/a` covers `/a` and `/a/b`, but not `/ab`;
  /// `/a/` covers everything below `/a`.
  public struct Scope: Hashable, Sendable {
    /// The server.
    public let origin: Origin
    /// The path in normal form, without a query.
    public let path: String

    init(origin: Origin, path: String) {
      self.origin = origin
      self.path = path
    }

    /// Creates the scope of the requested URL's folder: everything up to the last slash of its
    /// path.
    ///
    /// - Source: RFC 7617 §2.2.
    init(directoryOf url: RequestURL) {
      let path = normalPath(url.target).utf8
      // A path in normal form begins with a slash.
      let end = path.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) } ?? path.endIndex
      self.init(origin: url.origin, path: String(Substring(path[..<end])))
    }

    /// Returns whether a credential for this scope also applies to the URL.
    public func covers(_ url: RequestURL) -> Bool {
      guard url.origin == origin else { return false }
      return covers(path: normalPath(url.target))
    }

    /// The number of segments in the path.
    var depth: Int { path.split(separator: "/").count }

    /// Returns whether everything in the other scope is in this one.
    func covers(_ other: Scope) -> Bool {
      other.origin == origin && covers(path: other.path)
    }

    private func covers(path other: String) -> Bool {
      other == path || other.hasPrefix(path.hasSuffix("/") ? path : path + "/")
    }
  }
}

extension ChallengeResponder.Scope {
  /// Returns the scopes that Digest's `domain` names on the challenging server; without `domain`,
  /// all of it.
  ///
  /// `domain` may name other servers that take the same credential. They are ignored: one server's
  /// claim is not a reason to send a credential to another. If `domain` names only other servers,
  /// the scope is the requested path.
  ///
  /// - Source: RFC 7616 §3.3.
  static func domains(_ uris: [String], of challenger: Challenger) -> [Self] {
    let origin = challenger.url.origin
    guard !uris.isEmpty else { return [Self(origin: origin, path: "/")] }
    var scopes: [Self] = []
    for uri in uris {
      guard let scope = scope(uri, at: origin), scope.origin == origin else { continue }
      scopes.include(scope)
    }
    guard scopes.isEmpty else { return scopes }
    return [Self(origin: origin, path: normalPath(challenger.url.target))]
  }

  /// Resolves a URI of `domain` against the root of the server; returns nil if it is invalid.
  private static func scope(_ uri: String, at origin: Origin) -> Self? {
    let text =
      if uri.hasPrefix("//") {
        "\(origin.protocol):\(uri)"
      } else if uri.hasPrefix("/") {
        "\(origin)\(uri)"
      } else if uri.prefix(while: { !"/?#".contains($0) }).contains(":") {
        uri
      } else {
        "\(origin)/\(uri)"
      }
    // A server wrote the URI, not the caller: an unreadable one covers nothing.
    guard let url = try? RequestURL(text) else { return nil }
    return Self(origin: url.origin, path: normalPath(url.target))
  }
}

extension [ChallengeResponder.Scope] {
  /// The limit that keeps a server with ever new folders from filling the memory.
  private static var limit: Int { 64 }

  /// Adds a scope unless an existing one covers it, and drops those that it covers.
  mutating func include(_ scope: ChallengeResponder.Scope) {
    guard !contains(where: { $0.covers(scope) }) else { return }
    removeAll { scope.covers($0) }
    append(scope)
    if count > Self.limit { removeFirst() }
  }
}

/// Returns the path of a request target in normal form, for comparison.
///
/// The query is dropped. Percent-encoded letters, digits and `-._~` are decoded, other escapes are
/// converted to upper case, and then dot segments are removed. In this order, `%2e%2e` has the same
/// effect as `..`. An encoded slash stays encoded.
///
/// - Source: RFC 3986 §§5.2.4, 6.2.2.
func normalPath(_ target: String) -> String {
  if let path = alreadyNormal(target) { return path }
  let path = unreservedDecoded(target.utf8.prefix { $0 != UInt8(ascii: "?") })
  var segments: [ArraySlice<UInt8>] = []
  let written = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
  // The segment before the first slash is empty.
  for (index, segment) in written.enumerated().dropFirst() {
    let isParent = segment.elementsEqual("..".utf8)
    guard isParent || segment.elementsEqual(".".utf8) else {
      segments.append(segment)
      continue
    }
    if isParent, !segments.isEmpty { segments.removeLast() }
    // "/a/b/.." is "/a/".
    if index == written.count - 1 { segments.append([]) }
  }
  return "/" + segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
}

/// Returns the path if it is clearly in normal form, as most are; nil if it has to be processed.
private func alreadyNormal(_ target: String) -> String? {
  var before = UInt8(ascii: "x")
  var count = 0
  for byte in target.utf8 {
    if byte == UInt8(ascii: "?") { break }
    guard byte != UInt8(ascii: "%"), byte != UInt8(ascii: ".") || before != UInt8(ascii: "/") else {
      return nil
    }
    before = byte
    count += 1
  }
  guard target.utf8.first == UInt8(ascii: "/") else { return nil }
  return String(Substring(target.utf8.prefix(count)))
}

/// Returns the bytes with escapes of unreserved characters decoded and all others in upper case.
private func unreservedDecoded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  var decoded: [UInt8] = []
  var rest = Array(bytes)[...]
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%"), rest.count >= 2,
      let high = rest[rest.startIndex].hexadecimalValue,
      let low = rest[rest.startIndex + 1].hexadecimalValue
    else {
      decoded.append(byte)
      continue
    }
    rest = rest.dropFirst(2)
    PercentEncoding.encode(high << 4 | low) { decoded.append($0) }
  }
  return decoded
}
