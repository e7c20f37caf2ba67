import HTTPAuthentication
import VaultModel
import VaultTransport

/// The HTTP proxy that libcurl takes from the environment, and through which Foundation sends a
/// request.
///
/// If libcurl would not accept a value, there is no proxy here; libcurl then fails by itself. An
/// ambiguous value also gives none, because another host must never be taken for the proxy: it
/// would receive the proxy's password.
///
/// - Source: curl's manual, ENVIRONMENT; `detect_proxy` and `parse_proxy` in libcurl's `url.c`.
///   Tried on 7.88.1.
struct EnvironmentProxy: Sendable {
  /// Looks up a variable.
  typealias Environment = (_ name: String) -> String?

  let proxy: Proxy
  /// The user and password in the proxy's URL; libcurl sends them without a challenge, as Basic.
  let credential: Credential?
  /// The user in the proxy's URL, if it has no password.
  let user: String?

  /// Returns the proxy for an origin; nil for `https`, where Foundation leaves the proxy and its
  /// challenges to libcurl.
  ///
  /// The variables are read for each request, as libcurl does.
  static func find(
    for origin: Origin, in environment: Environment = ProxyChoice.variable
  ) -> EnvironmentProxy? {
    guard let value = value(for: origin, environment) else { return nil }
    do throws(VaultError) {
      return try EnvironmentProxy(value)
    } catch {
      return nil
    }
  }

  /// Returns the variable's value that counts for an origin; nil for `https` and if it is direct.
  private static func value(
    for origin: Origin, _ environment: Environment
  ) -> String? {
    // In upper case, this variable is a field of the request to a CGI program.
    guard origin.protocol == .http,
      let value = first(of: ["http_proxy", "all_proxy", "ALL_PROXY"], environment)
    else { return nil }
    if let hosts = first(of: ["no_proxy", "NO_PROXY"], environment),
      DirectHosts(hosts).mayContain(origin.host)
    {
      return nil
    }
    return value
  }

  /// Reads `[scheme://][user[:password]@]host[:port]`; the rest is ignored.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if it is not a proxy, or is a SOCKS
  ///   proxy.
  private init(_ value: String) throws(VaultError) {
    let server = try ProxyServer(text: value)
    guard let proxy = try server.challenging else {
      throw VaultError(.invalidArgument, "proxy: of SOCKS")
    }
    self.proxy = proxy
    credential = server.credential
    user = server.user
  }

  /// Returns the first of the variables that is set and not empty.
  private static func first(of names: [String], _ environment: Environment) -> String? {
    for name in names {
      if let value = environment(name), !value.isEmpty { return value }
    }
    return nil
  }
}
