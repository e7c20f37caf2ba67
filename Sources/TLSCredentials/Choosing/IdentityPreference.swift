public import VaultModel

/// The choice of an identity for a name, as Apple's `SecIdentitySetPreferred` makes it.
public struct IdentityPreference: Hashable, Sendable {
  /// A URL, or `*.` and a domain.
  public let name: String
  /// The item of the identity, which may have been removed.
  public let identity: ItemID

  /// Returns the names under which a preference for a URL is looked up, the best one first.
  ///
  /// They are the URL without its query, then each path above it, then wildcards for the domains
  /// above its host: `https://h.example.com/a/b`, `https://h.example.com/a/`,
  /// `https://h.example.com/`, `*.example.com`. No wildcard is for a public suffix or a single
  /// label, unlike Apple's, which go up to `*.com`. A path that servers understand in several ways
  /// (`..`, `//`, `%`) counts as the root's.
  ///
  /// - Parameters:
  ///   - text: The URL of a request.
  ///   - suffixes: The public suffixes.
  /// - Returns: At least one name.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the text is not a URL with a host.
  public static func names(
    for text: String, suffixes: PublicSuffixes = .system
  ) throws(VaultError) -> [String] {
    let url = try URLReference(text)
    guard !url.host.isUnset else { throw VaultError(.invalidArgument, "url: no host") }
    let port = url.port.map { $0 == url.protocol.defaultPort ? "" : ":\($0)" } ?? ""
    let origin = "\(url.protocol.rawValue)://\(url.host.urlText)\(port)"
    var path = Self.path(of: text)
    var names = [origin + path]
    while path.utf8.count > 1 {
      if path.hasSuffix("/") { path.removeLast() }
      while !path.hasSuffix("/") { path.removeLast() }
      names.append(origin + path)
    }
    return names + wildcards(for: url.host, suffixes)
  }

  /// Returns the path as it is written, without query and fragment.
  private static func path(of url: String) -> String {
    let afterScheme = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? ""
    let rest = afterScheme.drop { $0 != "/" && $0 != "?" && $0 != "#" }
    let path = rest.prefix { $0 != "?" && $0 != "#" }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let isPlain = segments.enumerated().allSatisfy { index, segment in
      let isLast = index == segments.count - 1
      return (!segment.isEmpty || isLast) && segment != "." && segment != ".."
        && !segment.contains { "%\\;".contains($0) }
    }
    return path.isEmpty || !isPlain ? "/" : String(path)
  }

  private static func wildcards(for host: HostName, _ suffixes: PublicSuffixes) -> [String] {
    guard !host.isIPAddress else { return [] }
    var names: [String] = []
    var labels = host.name.split(separator: ".").dropFirst()
    while labels.count >= 2 {
      let domain = labels.joined(separator: ".")
      guard !suffixes.contains(HostName(canonical: domain)) else { break }
      names.append("*." + domain)
      labels = labels.dropFirst()
    }
    return names
  }
}
