import FoundationNetworking
import VaultModel

/// Our words beside Foundation's constants, for those that it has on Linux.
///
/// It has none for client certificates and server trust, and no use for FTP: the values of those are spelled out, as the
/// constants say on Linux, whose values are their own names.
enum FoundationNames {
  static let authenticationMethods: [(method: AuthenticationMethod, constant: String)] = [
    (.default, NSURLAuthenticationMethodDefault),
    (.basic, NSURLAuthenticationMethodHTTPBasic),
    (.digest, NSURLAuthenticationMethodHTTPDigest),
    (.form, NSURLAuthenticationMethodHTMLForm),
    (.ntlm, NSURLAuthenticationMethodNTLM),
    (.negotiate, NSURLAuthenticationMethodNegotiate),
    (.clientCertificate, "NSURLAuthenticationMethodClientCertificate"),
    (.serverTrust, "NSURLAuthenticationMethodServerTrust"),
  ]

  /// Read, and never written: URLSession writes a URL's scheme, and so is what is found in a challenge.
  static let protocols: [(protocol: NetworkProtocol, constant: String)] = [
    (.http, NSURLProtectionSpaceHTTP),
    (.https, NSURLProtectionSpaceHTTPS),
    (.ftp, "NSURLProtectionSpaceFTP"),
  ]

  static let proxyTypes: [(type: NetworkProtocol, constant: String)] = [
    (.httpProxy, NSURLProtectionSpaceHTTPProxy),
    (.httpsProxy, NSURLProtectionSpaceHTTPSProxy),
    (.ftpProxy, "NSURLProtectionSpaceFTPProxy"),
    (.socks, NSURLProtectionSpaceSOCKSProxy),
  ]

  /// Foundation's constant, or our own name of a method that it has none for.
  static func constant(for method: AuthenticationMethod) -> String {
    authenticationMethods.first { $0.method == method }?.constant ?? method.rawValue
  }

  /// Foundation's constant, or our own name of a kind of proxy that it has none for.
  static func constant(for proxyType: NetworkProtocol) -> String {
    proxyTypes.first { $0.type == proxyType }?.constant ?? proxyType.rawValue
  }
}
