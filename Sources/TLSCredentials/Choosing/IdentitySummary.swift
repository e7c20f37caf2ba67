package import VaultModel

/// The facts about an identity without its key: enough to list it, to choose it, and to tell when
/// it expires.
package struct IdentitySummary: Hashable, Sendable {
  /// The holder's name.
  package let subject: DistinguishedName
  /// The issuers of the certificate and of its chain, the nearest first.
  package let issuers: [DistinguishedName]
  /// The certificate's serial number, as it is encoded.
  package let serialNumber: [UInt8]
  /// SHA-256 of the certificate.
  package let fingerprint: Fingerprint
  /// SHA-256 of the public key.
  package let publicKeyHash: Fingerprint
  /// The first moment at which certificate and chain are valid.
  package let notBefore: Timestamp
  /// The last moment at which certificate and chain are valid.
  package let notAfter: Timestamp
  /// The kind and size of the key.
  package let keyAlgorithm: KeyAlgorithm
  /// The ways in which the key may be used; nil if the certificate does not say.
  package let keyUsage: KeyUsage?
  /// The purposes that the key may be used for; nil if the certificate does not say.
  package let extendedKeyUsage: [ExtendedKeyUsage]?
  /// The certificate's subject alternative names.
  package let names: [SubjectName]
  /// The name that people gave it; empty if none.
  package internal(set) var label: String

  /// Creates the summary of an identity.
  package init(_ identity: Identity) {
    self.init(identity.certificate, identity.chain, label: identity.label)
  }

  init(_ certificate: Certificate, _ chain: [Certificate], label: String) {
    // A root's own end does not count: servers have it themselves.
    let others = chain.filter { !$0.isSelfIssued }
    subject = certificate.subject
    issuers = ([certificate] + chain).map(\.issuer)
    serialNumber = certificate.serialNumber
    fingerprint = certificate.fingerprint
    publicKeyHash = certificate.publicKeyHash
    notBefore = others.reduce(certificate.notBefore) { max($0, $1.notBefore) }
    notAfter = others.reduce(certificate.notAfter) { min($0, $1.notAfter) }
    keyAlgorithm = certificate.keyAlgorithm
    (keyUsage, extendedKeyUsage) = (certificate.keyUsage, certificate.extendedKeyUsage)
    names = certificate.names
    self.label = label
  }
}
