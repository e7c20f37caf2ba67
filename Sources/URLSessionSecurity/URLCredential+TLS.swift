public import FoundationNetworking
public import Security
import TLSCredentials
import VaultURLSession

/// A class whose initializers can return an object of a subclass: extensions of the class itself
/// have no such initializers.
public protocol TLSCredentialFactory {}

extension URLCredential: TLSCredentialFactory {}

extension TLSCredentialFactory where Self: URLCredential {
  /// Creates a credential that trusts the server of a challenge.
  public init(trust: SecTrust) {
    self = Self.made(TLSCredential(.trust, of: [trust], .forSession))
  }

  /// Creates a credential that presents an identity.
  ///
  /// - Parameters:
  ///   - identity: The certificate with its key.
  ///   - certArray: The certificates of its issuers, each a `SecCertificate`, the nearest first;
  ///     nil for those that the identity has itself.
  ///   - persistence: Not used: a credential of a certificate is never stored, as on Apple's
  ///     systems.
  public init(
    identity: SecIdentity, certificates certArray: [Any]?, persistence: URLCredential.Persistence
  ) {
    let others = (certArray ?? []).compactMap { $0 as? SecCertificate }
    self = Self.made(
      TLSCredential(
        .identity(identity.presented(with: others)), of: [identity] + others, persistence))
  }

  private static func made(_ credential: TLSCredential) -> Self {
    // A subclass of one's own inherits the initializers, but not what they make.
    guard let credential = credential as? Self else {
      preconditionFailure("a subclass of URLCredential cannot have a credential of TLS")
    }
    return credential
  }
}

extension URLCredential {
  /// The identity that the credential presents; nil if it has none.
  public var identity: SecIdentity? {
    (self as? TLSCredential)?.parts.lazy.compactMap { $0 as? SecIdentity }.first
  }

  /// The certificates of the identity's issuers that the credential was made with, each a
  /// `SecCertificate`; empty if it has none.
  public var certificates: [Any] {
    (self as? TLSCredential)?.parts.compactMap { $0 as? SecCertificate } ?? []
  }
}
