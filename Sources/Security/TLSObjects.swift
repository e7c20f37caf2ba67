import KeychainServices
package import TLSCredentials
import VaultModel

// Conversions for a room that joins challenges of TLS with these objects.

extension SecTrust {
  /// Creates the trust in a server; nil without a certificate.
  ///
  /// - Parameters:
  ///   - chain: The certificates that it sent, its own first.
  ///   - host: The host that they have to be for.
  ///   - anchors: The authorities, until others are set.
  package convenience init?(serverOf chain: [Certificate], host: String, _ anchors: TrustAnchors) {
    do throws(VaultError) {
      self.init(
        try KeychainTrust(chain, [.ssl(isServer: true, host: host)], standard: anchors))
    } catch {
      return nil
    }
  }
}

extension SecIdentity {
  /// Returns the identity with the certificates of its issuers, or with its own if none are given.
  package func presented(with others: [SecCertificate]) -> Identity {
    // On Apple's systems the leaf may be among them.
    let chain = others.map(\.certificate).filter { $0 != identity.certificate }
    guard !chain.isEmpty else { return identity }
    do throws(VaultError) {
      return try Identity(
        certificate: identity.certificate, chain: chain, key: identity.key, label: identity.label)
    } catch {
      // unreachable: the key is that of the same certificate.
      return identity
    }
  }
}
