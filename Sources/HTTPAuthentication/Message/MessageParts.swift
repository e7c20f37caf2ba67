public import VaultModel

/// Requests and responses as their parts, in the shape of swift-http-types and of HTTP/2's
/// pseudo-header fields (RFC 9113 §8.3).
extension RequestURL {
  /// Creates a URL from the parts of a request.
  ///
  /// - Parameters:
  ///   - scheme: `http` or `https`.
  ///   - authority: The host, with a port unless it is the default; a user and a password are read
  ///     as in a URL.
  ///   - path: The path and the query; empty or nil is `/`.
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if scheme or authority is missing, or
  ///   as ``init(_:)`` throws it.
  public init(scheme: String?, authority: String?, path: String?) throws(VaultError) {
    guard let scheme, let authority else {
      throw VaultError(.invalidArgument, "url: without scheme and host")
    }
    // A part that ended early would make the rest of it another part, and name another host.
    guard !(scheme + authority).utf8.contains(where: { "/?#\\".utf8.contains($0) }) else {
      throw VaultError(.invalidArgument, "url: invalid scheme or host")
    }
    let path = path ?? ""
    guard path.isEmpty || path.utf8.first == UInt8(ascii: "/") else {
      throw VaultError(.invalidArgument, "url path: not from the root")
    }
    try self.init("\(scheme)://\(authority)\(path)")
  }

  /// The scheme: `http` or `https`.
  public var scheme: String { "\(origin.protocol)" }

  /// The host, with a port unless it is the default; without user and password.
  public var authority: String { origin.authority }
}

extension RequestHead {
  /// Creates a request from its parts.
  ///
  /// - Parameters:
  ///   - method: The method, such as `GET`; case-sensitive.
  ///   - scheme: `http` or `https`.
  ///   - authority: The host, with a port unless it is the default.
  ///   - path: The path and the query; empty or nil is `/`.
  /// - Throws: As ``RequestURL/init(scheme:authority:path:)``.
  public init(
    method: String, scheme: String?, authority: String?, path: String?
  ) throws(VaultError) {
    self.init(method, url: try RequestURL(scheme: scheme, authority: authority, path: path))
  }
}

extension ResponseHead {
  /// Creates a response from its parts.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - fields: The names and values of all fields, in their order; a name may occur several
  ///     times.
  public init(status: Int, fields: some Sequence<(name: String, value: String)>) {
    self.init(status: status, fields: fields.map { Field($0.name, $0.value) })
  }
}
