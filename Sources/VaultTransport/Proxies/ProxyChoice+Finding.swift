import Glibc
package import HTTPAuthentication
package import VaultModel

extension ProxyChoice {
  /// Looks up a variable of the environment.
  typealias Environment = (_ name: String) -> String?

  /// Returns the proxy for an origin; nil if it is reached directly.
  ///
  /// - Throws: ``VaultError/Code/configuration`` if the environment names something that is no
  ///   proxy: the request must not go past it.
  func server(
    for origin: Origin, in environment: Environment = variable
  ) throws(VaultError) -> ProxyServer? {
    switch self {
    case .none: return nil
    case .proxy(let server, let exempt):
      return DirectHosts(exempt).contains(origin.host) ? nil : server
    case .environment:
      guard let (name, value) = Self.value(for: origin, environment) else { return nil }
      for list in ["no_proxy", "NO_PROXY"] {
        guard let hosts = environment(list), !hosts.isEmpty else { continue }
        if DirectHosts(hosts).contains(origin.host) { return nil }
        break
      }
      do throws(VaultError) {
        return try ProxyServer(text: value)
      } catch {
        throw VaultError(.configuration, "\(name): \(error.context)")
      }
    }
  }

  /// Returns the first of the variables that is set and not empty.
  private static func value(
    for origin: Origin, _ environment: Environment
  ) -> (name: String, value: String)? {
    // In upper case, the variable for http is a field of the request to a CGI program.
    let names = origin.protocol == .http ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
    for name in names + ["all_proxy", "ALL_PROXY"] {
      if let value = environment(name), !value.isEmpty { return (name, value) }
    }
    return nil
  }

  /// Returns a variable of this process; if others change it meanwhile, this is as unsafe as
  /// libcurl's own access.
  package static func variable(_ name: String) -> String? {
    // The C string is valid until the environment changes; it is copied at once.
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}

extension ProxyServer {
  /// Reads `[scheme://][user[:password]@]host[:port]`, as curl does; a path is ignored.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is not a proxy.
  package init(text: String) throws(VaultError) {
    // With one slash, what should be the scheme would be taken for the host.
    let afterName = text.utf8.drop { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    guard !afterName.starts(with: ":/".utf8) || afterName.starts(with: "://".utf8) else {
      throw VaultError(.invalidArgument, "proxy: a scheme without two slashes")
    }
    let (scheme, rest) = Self.split(text)
    guard let kind = Self.kind(of: scheme) else {
      throw VaultError(.invalidArgument, "proxy: the scheme is not known")
    }
    // Read as any URL, so that user, password and IPv6 addresses mean the same.
    let url = try RequestURL("\(kind == .https ? "https" : "http")://\(rest)")
    let port = try URLReference("http://\(rest)", ignoringPath: true).port
    try self.init(
      // 1080 is curl's own default, also for proxies other than SOCKS.
      kind, host: url.origin.host.name, port: Int(port ?? (kind == .https ? 443 : 1080)))
    if let password = url.password {
      credential = Credential(user: url.user ?? "", secret: password, persistence: .none)
    } else {
      user = url.user
    }
  }

  private static func split(_ text: String) -> (scheme: String, rest: Substring) {
    guard let end = text.firstRange(of: "://") else { return ("http", text[...]) }
    return (String(text[..<end.lowerBound]).lowercasedASCII, text[end.upperBound...])
  }

  private static func kind(of scheme: String) -> Kind? {
    scheme == "socks" ? .socks4 : Kind(rawValue: scheme)
  }

  /// The proxy as challenges name it; nil for SOCKS, which has none.
  package var challenging: Proxy? {
    get throws(VaultError) {
      guard kind == .http || kind == .https else { return nil }
      return try Proxy(host: host.name, port: Int(port), overTLS: kind == .https)
    }
  }
}
