import Glibc
import HTTPAuthentication
import VaultModel

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
    for origin: Origin, in environment: Environment = variable
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
    let afterName = value.utf8.drop { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    let text = afterName.starts(with: ":/".utf8) ? value : "http://\(value)"
    let url = try RequestURL(text)
    let isEncrypted = url.origin.protocol == .https
    let port = try URLReference(text, ignoringPath: true).port
    proxy = try Proxy(
      // 1080 is libcurl's own default, also for proxies other than SOCKS.
      host: url.origin.host.name, port: Int(port ?? (isEncrypted ? 443 : 1080)),
      overTLS: isEncrypted)
    credential = url.password.map {
      Credential(user: url.user ?? "", secret: $0, persistence: .none)
    }
    user = credential == nil ? url.user : nil
  }

  /// Returns the first of the variables that is set and not empty.
  private static func first(of names: [String], _ environment: Environment) -> String? {
    for name in names {
      if let value = environment(name), !value.isEmpty { return value }
    }
    return nil
  }

  /// Returns a variable of this process; if others change it meanwhile, this is as unsafe as
  /// libcurl's own access.
  static func variable(_ name: String) -> String? {
    // The C string is valid until the environment changes; it is copied at once.
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}
