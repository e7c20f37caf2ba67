import Glibc
import HTTPAuthentication
import VaultModel

/// The HTTP proxy that libcurl takes from the environment, through which Foundation sends a request.
///
/// Where libcurl would not take a value, there is none here: it fails by itself then. So it is with a value whose meaning
/// is in doubt, because what is no proxy's must never be taken for one's: it would be sent the proxy's password.
///
/// - Source: curl's manual, ENVIRONMENT; `detect_proxy` and `parse_proxy` in libcurl's `url.c`. Tried on 7.88.1.
struct EnvironmentProxy: Sendable {
  /// Finds a variable.
  typealias Environment = (_ name: String) -> String?

  let proxy: Proxy
  /// Of the user and password in its URL; libcurl sends them unasked, as Basic.
  let credential: Credential?
  /// The user in its URL, if no password is there.
  let account: String?

  /// The proxy for an origin; nil for `https`, where Foundation leaves the proxy and its challenges to libcurl.
  ///
  /// The variables are looked up at each request, as libcurl does it.
  static func find(
    for origin: Origin, in environment: Environment = variable
  ) -> EnvironmentProxy? {
    // The upper case of this one is a field of the request to a CGI program.
    guard origin.protocol == .http,
      let value = first(of: ["http_proxy", "all_proxy", "ALL_PROXY"], environment)
    else { return nil }
    if let hosts = first(of: ["no_proxy", "NO_PROXY"], environment),
      DirectHosts(hosts).contains(origin.host)
    {
      return nil
    }
    do throws(VaultError) {
      return try EnvironmentProxy(value)
    } catch {
      return nil
    }
  }

  /// Reads `[scheme://][user[:password]@]host[:port]`; what follows is ignored.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if it is none, or that of a SOCKS proxy.
  private init(_ value: String) throws(VaultError) {
    let afterName = value.utf8.drop { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    let text = afterName.starts(with: ":/".utf8) ? value : "http://\(value)"
    let url = try RequestURL(text)
    let isEncrypted = url.origin.protocol == .https
    let port = try URLReference(text, ignoringPath: true).port
    proxy = try Proxy(
      // 1080 is libcurl's own default, also for what is no SOCKS proxy.
      host: url.origin.host.name, port: Int(port ?? (isEncrypted ? 443 : 1080)),
      isEncrypted: isEncrypted)
    credential = url.password.map {
      Credential(user: url.user ?? "", secret: $0, persistence: .none)
    }
    account = credential == nil ? url.user : nil
  }

  /// The first of the variables that is set, and not empty.
  private static func first(of names: [String], _ environment: Environment) -> String? {
    for name in names {
      if let value = environment(name), !value.isEmpty { return value }
    }
    return nil
  }

  /// A variable of this process; one that others change meanwhile is as unsafe to read for libcurl.
  static func variable(_ name: String) -> String? {
    // The C string is valid until the environment changes; it is copied at once.
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}
