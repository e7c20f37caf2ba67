public import FoundationEssentials
import KeychainItems
import KeychainTrust
import SecureMemory
public import SecurityConstants
import TLSCredentials
import VaultModel

/// A certificate with its private key, which this module gives to nobody.
public final class SecIdentity: Sendable {
  let identity: Identity

  init(_ identity: Identity) {
    self.identity = identity
  }
}

/// Returns the certificate of an identity.
///
/// - Parameters:
///   - identityRef: The identity.
///   - certificateRef: The place for the certificate.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyCertificate(
  _ identityRef: SecIdentity, _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
  // The place is the caller's.
  unsafe certificateRef.pointee = SecCertificate(identityRef.identity.certificate)
  return errSecSuccess
}

/// Reads the identities of a PKCS #12 file.
///
/// - Parameters:
///   - pkcs12_data: The file.
///   - options: Its passphrase, as `kSecImportExportPassphrase`; other keys are ignored.
///   - items: The place for an array with a dictionary for each identity, none for a file without
///     one: `kSecImportItemIdentity`, `kSecImportItemCertChain`, `kSecImportItemTrust`,
///     `kSecImportItemLabel` and `kSecImportItemKeyID`.
/// - Returns: `errSecSuccess`, `errSecAuthFailed` for a wrong passphrase, `errSecParam` for a
///   passphrase that is no text, `errSecDecode` for any other file, or another status.
@discardableResult
public func SecPKCS12Import(
  _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  let given = options[kSecImportExportPassphrase]
  let passphrase = given as? String
  guard given == nil || passphrase != nil else { return errSecParam }
  do throws(VaultError) {
    let file = try IdentityFile(
      Secret(copying: pkcs12_data.span), passphrase: passphrase.map { Secret($0) })
    var found: CFArray = []
    for identity in file.identities { found.append(try entry(identity, of: file)) }
    // The place is the caller's.
    unsafe items.pointee = found
    return errSecSuccess
  } catch {
    guard error.code == .missingIdentity else { return error.keychainStatus }
    unsafe items.pointee = []
    return errSecSuccess
  }
}

private func entry(_ identity: Identity, of file: IdentityFile) throws(VaultError) -> CFDictionary {
  // As on macOS: the leaf and every loose certificate of the file, unordered.
  let chain = [identity.certificate] + identity.chain + file.certificates
  return [
    kSecImportItemIdentity: SecIdentity(identity),
    kSecImportItemLabel: identity.certificate.subject.summary,
    kSecImportItemKeyID: Data(try identity.certificate.keyIdentifier()),
    kSecImportItemCertChain: chain.map { SecCertificate($0) },
    kSecImportItemTrust: SecTrust(try KeychainTrust(chain, [])),
  ]
}

/// Prefers an identity for a name, in the user's vault.
///
/// - Parameters:
///   - identity: An identity whose certificate the vault has; nil to prefer none.
///   - name: A URL, or a domain with `*.` before it.
///   - keyUsage: Ignored.
/// - Returns: `errSecSuccess`, `errSecItemNotFound` if the vault does not have the identity,
///   `errSecParam` for another name, or another status.
@discardableResult
public func SecIdentitySetPreferred(
  _ identity: SecIdentity?, _ name: CFString, _ keyUsage: CFArray?
) -> OSStatus {
  status { () throws(VaultError) in
    let identities = try KeychainItems.userVault().identities
    guard let identity else { return try identities.setPreferred(nil, for: name) }
    let stored = try identities.findAll().first {
      $0.certificate == identity.identity.certificate
    }
    guard let stored else {
      throw VaultError(.itemNotFound, "the vault does not have the identity")
    }
    try identities.setPreferred(stored, for: name)
  }
}

/// Returns the identity that is preferred for a name, for the paths above it or for its domain.
///
/// - Parameters:
///   - name: A URL, or a domain with `*.` before it.
///   - keyUsage: Ignored.
///   - validIssuers: Ignored, as on Apple's systems.
/// - Returns: Nil if there is none, or the vault cannot be opened.
public func SecIdentityCopyPreferred(
  _ name: CFString, _ keyUsage: CFArray?, _ validIssuers: CFArray?
) -> SecIdentity? {
  do throws(VaultError) {
    let identities = try KeychainItems.userVault().identities
    return SecIdentity(try identities.open(identities.preferred(for: name)))
  } catch {
    return nil
  }
}
