import CredentialVault
public import SecureMemory
public import VaultModel

/// Identities whose keys are in tokens: they are listed, chosen, renewed and removed as the others.
///
/// The item's secret is the URI of the key with the token's PIN, if it is known. The URI without
/// the PIN is a custom attribute too, so that lists show it.
extension VaultIdentities {
  /// Adds certificates with a reference to their key, to the session or to the file, as the policy
  /// grants.
  ///
  /// Nothing asks the token: whether it has the key shows when the identity is used.
  ///
  /// - Parameters:
  ///   - certificates: The holder's own certificate, and those of its issuers in any order; others
  ///     are left out. They have at most 64 KiB.
  ///   - key: The reference to the key.
  ///   - space: The space in which it is used; nil for an identity that only preferences lead to.
  ///   - name: The account under which the space has it; empty for the subject's common name.
  ///   - persistence: `session` or `permanent`; `none` stores nothing.
  ///   - afterAcceptance: Whether a server has accepted it.
  /// - Returns: The identity as stored, and what the policy granted.
  /// - Throws: ``VaultError/Code/missingCertificate`` if there is none; else as
  ///   ``add(_:for:name:persistence:afterAcceptance:)``.
  @discardableResult
  public func add(
    _ certificates: [Certificate], key: KeyReference, for space: ProtectionSpace? = nil,
    name: String = "", persistence: Persistence = .permanent, afterAcceptance: Bool = false
  ) throws(VaultError) -> IdentityStoreResult {
    let content = try Self.content(of: certificates, key)
    let label = certificates.first?.subject.summary ?? ""
    return try add(
      content, label: label, for: space, name: name, persistence: persistence,
      afterAcceptance: afterAcceptance)
  }

  /// Replaces certificates and key by others, of which the key is in a token, as
  /// ``replace(_:with:)`` does.
  ///
  /// - Throws: ``VaultError/Code/missingCertificate`` if there is none; else as that does.
  @discardableResult
  public func replace(
    _ stored: StoredIdentity, with certificates: [Certificate], key: KeyReference
  ) throws(VaultError) -> IdentityStoreResult {
    try IdentityStoreResult(vault.modify(stored.item, Self.content(of: certificates, key)))
  }

  /// Opens the reference to the key of an identity, as the item is now.
  ///
  /// - Parameters:
  ///   - stored: As it was found.
  ///   - pin: The PIN of the item, which is not the token's; nil if it needs none.
  /// - Returns: The reference, with the token's PIN if it is known.
  /// - Throws: ``VaultError/Code/pinRequired``; ``VaultError/Code/unsupported`` if the vault has
  ///   the key itself, which ``open(_:pin:)`` opens; ``VaultError/Code/itemNotFound`` if it was
  ///   removed; ``VaultError/Code/expired``; ``VaultError/Code/invalidData`` if the item's secret
  ///   is not a URI; else as ``findAll(for:)``.
  public func openReference(
    _ stored: StoredIdentity, pin: Secret? = nil
  ) throws(VaultError) -> KeyReference {
    let (item, secret) = try opened(stored, pin: pin)
    guard item.custom[StoredIdentity.reference] != nil else {
      throw VaultError(.unsupported, "identity: the vault has the key itself", candidates: [item])
    }
    do throws(VaultError) {
      return try KeyReference(uri: secret)
    } catch {
      throw VaultError(.invalidData, error.context, candidates: [item])
    }
  }

  private static func content(
    of certificates: [Certificate], _ key: KeyReference
  ) throws(VaultError) -> [ItemChange] {
    guard let leaf = certificates.first else {
      throw VaultError(.missingCertificate, "identity: no certificate for the key in the token")
    }
    let chain = IdentityFile.chain(of: leaf, among: certificates)
    return [
      .secret(key.whole), .secretKind(.identity), .custom(StoredIdentity.reference, key.uri),
      .certificates(self.certificates(leaf, chain)),
      .expires(IdentitySummary(leaf, chain, label: "").notAfter),
    ]
  }
}

extension StoredIdentity {
  /// The name of the custom attribute that has the URI of a key in a token.
  static let reference = "pkcs11"

  /// The `pkcs11:` URI of a key in a token, without its PIN; nil if the vault has the key itself.
  public var keyReference: String? { item.custom[Self.reference] }
}
