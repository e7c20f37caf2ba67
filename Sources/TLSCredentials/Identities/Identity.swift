import SecureMemory
public import VaultModel

/// A certificate with its private key, and the certificates of its issuers: what a client presents
/// to a server that asks who it is.
public struct Identity: Sendable {
  /// The holder's own certificate.
  public let certificate: Certificate
  /// The certificates of its issuers, the nearest first, as far as they are known.
  public let chain: [Certificate]
  /// The private key that the certificate is for.
  public let key: PrivateKey
  /// The name that its file gives it; empty if none.
  public let label: String

  /// Creates an identity.
  ///
  /// - Parameters:
  ///   - certificate: The holder's own certificate.
  ///   - chain: The certificates of its issuers, the nearest first.
  ///   - key: The key of the certificate.
  ///   - label: A name for people.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the certificate is for another key.
  public init(
    certificate: Certificate, chain: [Certificate] = [], key: PrivateKey, label: String = ""
  ) throws(VaultError) {
    guard key.matches(certificate) else {
      throw VaultError(.invalidArgument, "identity: the certificate is for another key")
    }
    self.certificate = certificate
    self.chain = chain
    self.key = key
    self.label = label
  }

  /// The last moment at which the certificate and all of its issuers are valid.
  ///
  /// A root's own end does not count: servers have it themselves.
  public var notAfter: Timestamp { IdentitySummary(self).notAfter }

  /// The first moment at which the certificate and all of its issuers are valid.
  public var notBefore: Timestamp { IdentitySummary(self).notBefore }

  /// The issuers of the certificate and of its chain, of which a server accepts one.
  public var issuers: [DistinguishedName] { IdentitySummary(self).issuers }
}

extension Identity: CustomStringConvertible, CustomReflectable {
  /// The subject in words.
  public var description: String { certificate.description }

  /// A mirror that shows the certificate only.
  public var customMirror: Mirror { Mirror(self, children: ["certificate": description]) }
}
