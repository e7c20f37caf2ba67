public import VaultModel

/// The facts about an identity without its key: enough to list it, to choose it, and to tell when
/// it expires.
public struct IdentitySummary: Hashable, Sendable {
  /// The holder's name.
  public let subject: DistinguishedName
  /// The issuers of the certificate and of its chain, the nearest first.
  public let issuers: [DistinguishedName]
  /// The certificate's serial number, as it is encoded.
  public let serialNumber: [UInt8]
  /// SHA-256 of the certificate.
  public let fingerprint: Fingerprint
  /// SHA-256 of the public key.
  public let publicKeyHash: Fingerprint
  /// The first moment at which certificate and chain are valid.
  public let notBefore: Timestamp
  /// The last moment at which certificate and chain are valid.
  public let notAfter: Timestamp
  /// The kind and size of the key.
  public let keyAlgorithm: KeyAlgorithm
  /// The ways in which the key may be used; nil if the certificate does not say.
  public let keyUsage: KeyUsage?
  /// The purposes that the key may be used for; nil if the certificate does not say.
  public let extendedKeyUsage: [ExtendedKeyUsage]?
  /// The certificate's subject alternative names.
  public let names: [SubjectName]
  /// The name that people gave it; empty if none.
  public let label: String

  /// Creates the summary of an identity.
  public init(_ identity: Identity) {
    let certificate = identity.certificate
    subject = certificate.subject
    issuers = identity.issuers
    serialNumber = certificate.serialNumber
    fingerprint = certificate.fingerprint
    publicKeyHash = certificate.publicKeyHash
    (notBefore, notAfter) = (identity.notBefore, identity.notAfter)
    keyAlgorithm = certificate.keyAlgorithm
    (keyUsage, extendedKeyUsage) = (certificate.keyUsage, certificate.extendedKeyUsage)
    names = certificate.names
    label = identity.label
  }
}
