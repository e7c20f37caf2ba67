/// Which hosts a rule is about: one, the names below one, or all.
public enum HostPattern: Sendable, Hashable {
  /// Every host, and no host.
  case any
  /// This host alone; an IP address is matched exactly.
  case exact(Host)
  /// The names below this one, at any depth, and not itself.
  case subdomains(of: Host)

  /// Reads `*`, `*.example.com` or a host.
  ///
  /// The host is read and made canonical as ``Host/init(_:)`` does, so case, IDN and the spellings of IP addresses do not
  /// matter.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument``, beginning with `host:`, for empty text, a star anywhere else, a star
  ///   before an IP address, and what is no host.
  public init(_ text: String) throws(VaultError) {
    guard !text.isEmpty else { throw VaultError(.invalidArgument, "host: empty") }
    if text == "*" {
      self = .any
      return
    }
    let isWildcard = text.hasPrefix("*.")
    let rest = isWildcard ? String(text.dropFirst(2)) : text
    guard !rest.utf8.contains(UInt8(ascii: "*")) else {
      throw VaultError(
        .invalidArgument, "host: a star stands alone or as the first label of *.example.com")
    }
    let host = try Host(rest)
    guard !host.isUnset else { throw VaultError(.invalidArgument, "host: nothing after *.") }
    guard !isWildcard || !host.isIPAddress else {
      throw VaultError(.invalidArgument, "host: an IP address has no subdomains")
    }
    self = isWildcard ? .subdomains(of: host) : .exact(host)
  }

  /// Whether a host is meant.
  public func matches(_ host: Host) -> Bool {
    switch self {
    case .any: true
    case .exact(let wanted): wanted == host
    case .subdomains(let parent): host.isSubdomain(of: parent)
    }
  }
}

extension HostPattern: CustomStringConvertible {
  /// As ``init(_:)`` reads it.
  public var description: String {
    switch self {
    case .any: "*"
    case .exact(let host): host.name
    case .subdomains(let parent): "*.\(parent.name)"
    }
  }
}
