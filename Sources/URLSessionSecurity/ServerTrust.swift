public import FoundationNetworking
public import Security
import TLSCredentials
import VaultURLSession

// Foundation on Linux marks these names as unavailable, or lacks them. The compiler prefers those
// of this module, so that code for Apple's systems compiles unchanged.

/// The method of a challenge that asks whether a server is trusted.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

/// The method of a challenge that asks for the client's certificate.
public let NSURLAuthenticationMethodClientCertificate =
  "NSURLAuthenticationMethodClientCertificate"

extension URLProtectionSpace {
  /// The certificates that the server sent, with the policy for its host and the authorities of the
  /// transport; nil unless the challenge asks whether the server is trusted.
  ///
  /// It is the same object each time.
  public var serverTrust: SecTrust? {
    guard let space = self as? TLSProtectionSpace, !space.chain.isEmpty else { return nil }
    return space.trust { SecTrust(serverOf: space.chain, host: space.host, space.anchors) }
  }
}
