/// The hosts that a rule matches: one, the names below one, or all.
public enum HostPattern: Sendable, Hashable {
  /// Every host, and also no host.
  case any
  /// This host alone; an IPv4 address and its IPv4-mapped IPv6 address match each other.
  case exact(HostName)
  /// The names below this one, at any depth, but not the name itself.
  case subdomains(of: HostName)

  /// Reads `*`, `*.example.com` or a host.
  ///
  /// The host is made canonical as by ``HostName/init(_:)``, so case, IDN and the spellings of IP
  /// addresses do not matter.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument``, beginning with `host:`, for empty text, a star
  ///   anywhere else, a star before an IP address, and text that is not a host.
  public init(_ text: String) throws(VaultError) {
    if text == "*" {
      self = .any
      return
    }
    // On bytes: a combining mark or a joiner after the dot would be one character with it.
    let isWildcard = text.utf8.starts(with: "*.".utf8)
    let rest = text.utf8.dropFirst(isWildcard ? 2 : 0)
    guard !rest.contains(UInt8(ascii: "*")) else {
      throw VaultError(
        .invalidArgument, "host: a star must be alone or the first label, as in *.example.com")
    }
    let host = try HostName(String(Substring(rest)))
    self = isWildcard ? .subdomains(of: host) : .exact(host)
    try validate()
  }

  /// Checks that the pattern has a host that can match.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument``, beginning with `host:`, for a host that is
  ///   unset, and for the names below an IP address.
  func validate() throws(VaultError) {
    switch self {
    case .any: return
    case .exact(let host):
      guard !host.isUnset else { throw VaultError(.invalidArgument, "host: empty") }
    case .subdomains(let parent):
      guard !parent.isUnset else { throw VaultError(.invalidArgument, "host: nothing after *.") }
      guard !parent.isIPAddress else {
        throw VaultError(.invalidArgument, "host: an IP address has no subdomains")
      }
    }
  }

  /// Returns whether the pattern matches a host.
  public func matches(_ host: HostName) -> Bool {
    switch self {
    case .any: true
    case .exact(let wanted): wanted.unmapped == host.unmapped
    case .subdomains(let parent): host.isSubdomain(of: parent)
    }
  }

  /// Whether the matching hosts are this machine; nil if some are and some are not.
  var isLoopback: Bool? {
    switch self {
    case .any: nil
    case .exact(let host), .subdomains(of: let host): host.isLoopback
    }
  }
}

extension HostPattern: CustomStringConvertible {
  /// The text that ``init(_:)`` reads.
  public var description: String {
    switch self {
    case .any: "*"
    case .exact(let host): host.name
    case .subdomains(let parent): "*.\(parent.name)"
    }
  }
}
