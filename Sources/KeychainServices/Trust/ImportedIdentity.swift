package import SecureMemory
package import TLSCredentials
package import VaultModel

/// An identity of a PKCS #12 file with what Apple's import says of it.
package struct ImportedIdentity: Sendable {
  package let identity: Identity
  /// The certificate's subject summary; the name that the file gives it does not count.
  package let label: String
  /// SHA-1 of the public key's bits.
  package let keyIdentifier: [UInt8]
  /// As on macOS: the leaf and every loose certificate of the file, unordered.
  package let chain: [Certificate]
  /// The trust in these by the basic policy.
  package let trust: KeychainTrust

  /// Returns the identities of a file; none for a file without one, as `SecPKCS12Import` does.
  ///
  /// - Throws: As `IdentityFile`, but for its `missingIdentity`.
  package static func all(
    in file: Secret, passphrase: Secret?
  ) throws(VaultError) -> [ImportedIdentity] {
    do throws(VaultError) {
      let file = try IdentityFile(file, passphrase: passphrase)
      var all: [ImportedIdentity] = []
      // A file may have the same certificate and key twice; it is one identity, as with Apple.
      for identity in file.identities
      where !all.contains(where: { $0.identity.certificate == identity.certificate }) {
        all.append(try ImportedIdentity(identity, among: file.certificates))
      }
      return all
    } catch {
      guard error.code == .missingIdentity else { throw error }
      return []
    }
  }

  private init(_ identity: Identity, among others: [Certificate]) throws(VaultError) {
    self.identity = identity
    label = identity.certificate.subject.summary
    keyIdentifier = try identity.certificate.keyIdentifier()
    chain = [identity.certificate] + identity.chain + others
    trust = try KeychainTrust(chain, [])
  }
}

extension VaultIdentities {
  /// Prefers the identity with a certificate for a name; nil to prefer none.
  ///
  /// - Throws: `itemNotFound` if the vault has no identity with it; else as `setPreferred`.
  package func prefer(_ certificate: Certificate?, for name: String) throws(VaultError) {
    guard let certificate else { return try setPreferred(nil, for: name) }
    guard let stored = try findAll().first(where: { $0.certificate == certificate }) else {
      throw VaultError(.itemNotFound, "the vault does not have the identity")
    }
    try setPreferred(stored, for: name)
  }
}
