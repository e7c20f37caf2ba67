import FoundationNetworking
import VaultModel

/// Our names and Foundation's constants, for those that it has on Linux.
///
/// It has none for client certificates and server trust, and does not use FTP. Those values are
/// spelled out like the other constants on Linux, whose values are their own names.
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

  /// Read but never written: URLSession writes a URL's scheme instead, so that is what a challenge
  /// has.
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

  /// Returns Foundation's constant for a method, or our own name if it has none.
  static func constant(for method: AuthenticationMethod) -> String {
    authenticationMethods.first { $0.method == method }?.constant ?? method.rawValue
  }

  /// Returns Foundation's constant for a kind of proxy, or our own name if it has none.
  static func constant(for proxyType: NetworkProtocol) -> String {
    proxyTypes.first { $0.type == proxyType }?.constant ?? proxyType.rawValue
  }
}
