import HTTPAuthentication
import VaultModel

/// The proxy that libcurl takes from the environment.
///
/// - Source: curl's manual, ENVIRONMENT.
struct EnvironmentProxy {
  let proxy: Proxy
  /// Of the user and password in its URL.
  let credential: Credential?

  /// The proxy for an origin; nil for none, and for `https`, where Foundation leaves the proxy to libcurl alone.
  static func find(for origin: Origin) throws(VaultError) -> EnvironmentProxy? {
    nil
  }
}
