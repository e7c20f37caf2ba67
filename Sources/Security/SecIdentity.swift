public import FoundationEssentials
import KeychainServices
import SecureMemory
public import SecurityConstants
import TLSCredentials
import VaultModel

/// A certificate with its private key.
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
///   passphrase that is not text, `errSecDecode` for any other file, or another status.
@discardableResult
public func SecPKCS12Import(
  _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  let given = options[kSecImportExportPassphrase]
  let passphrase = given as? String
  guard given == nil || passphrase != nil else { return errSecParam }
  return status { () throws(VaultError) in
    let found = try ImportedIdentity.all(
      in: Secret(copying: pkcs12_data.span), passphrase: passphrase.map { Secret($0) })
    // The place is the caller's.
    unsafe items.pointee = found.map(\.entry)
  }
}

extension ImportedIdentity {
  fileprivate var entry: [String: Any] {
    [
      kSecImportItemIdentity: SecIdentity(identity),
      kSecImportItemLabel: label,
      kSecImportItemKeyID: Data(keyIdentifier),
      kSecImportItemCertChain: chain.map { SecCertificate($0) },
      kSecImportItemTrust: SecTrust(trust),
    ]
  }
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
    try KeychainItems.userVault().identities.prefer(identity?.identity.certificate, for: name)
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
