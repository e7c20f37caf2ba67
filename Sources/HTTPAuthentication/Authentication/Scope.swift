import VaultModel

extension Authentication {
  /// Where a server's credential is used again: a path of one origin, and what is below it.
  ///
  /// Compared by segments in normal form: `/a` covers `/a` and `/a/b`, not `/ab`; `/a/` covers what is below `/a`.
  public struct Scope: Hashable, Sendable {
    /// The server.
    public let origin: Origin
    /// The path in normal form, without a query.
    public let path: String

    init(origin: Origin, path: String) {
      self.origin = origin
      self.path = path
    }

    /// The folder of what was requested: everything up to the last slash of its path.
    ///
    /// - Source: RFC 7617 §2.2.
    init(directoryOf url: RequestURL) {
      let path = normalPath(url.target).utf8
      // A path in normal form begins with a slash.
      let end = path.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) } ?? path.endIndex
      self.init(origin: url.origin, path: String(Substring(path[..<end])))
    }

    /// Whether a credential for this scope is one for the URL, too.
    public func covers(_ url: RequestURL) -> Bool {
      guard url.origin == origin else { return false }
      return covers(path: normalPath(url.target))
    }

    /// How many segments the path has.
    var depth: Int { path.split(separator: "/").count }

    /// Whether everything in the other scope is in this one.
    func covers(_ other: Scope) -> Bool {
      other.origin == origin && covers(path: other.path)
    }

    private func covers(path other: String) -> Bool {
      other == path || other.hasPrefix(path.hasSuffix("/") ? path : path + "/")
    }
  }
}

extension Authentication.Scope {
  /// What Digest's `domain` names on the server that asks; without one, all of it.
  ///
  /// It may name other servers, where the same credential would do. They are left out: what one server says is no reason
  /// to send something to another. If it names nothing but them, only the path that was requested is left.
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

  /// Resolves a URI of `domain` against the root of the server; nil if it is none.
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
    // Not a URL that is written, but one that a server wrote: what cannot be read covers nothing.
    guard let url = try? RequestURL(text) else { return nil }
    return Self(origin: url.origin, path: normalPath(url.target))
  }
}

extension [Authentication.Scope] {
  /// A server that challenges in ever new folders must not fill the memory.
  private static var limit: Int { 64 }

  /// Adds a scope unless one covers it, in the place of those that it covers.
  mutating func include(_ scope: Authentication.Scope) {
    guard !contains(where: { $0.covers(scope) }) else { return }
    removeAll { scope.covers($0) }
    append(scope)
    if count > Self.limit { removeFirst() }
  }
}
