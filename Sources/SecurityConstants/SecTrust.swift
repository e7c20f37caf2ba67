// The statuses of an evaluation, with Apple's numbers.

/// The certificate is for other hosts.
public let errSecHostNameMismatch: OSStatus = -67602

/// A certificate has an extension that is critical and unknown.
public let errSecUnknownCriticalExtensionFlag: OSStatus = -67603

/// The certificate may not be used for this purpose.
public let errSecInvalidExtendedKeyUsage: OSStatus = -67609

/// Whether a certificate was revoked is not known, and it has to be.
public let errSecIncompleteCertRevocationCheck: OSStatus = -67635

/// A certificate has expired.
public let errSecCertificateExpired: OSStatus = -67818

/// A certificate is not valid yet.
public let errSecCertificateNotValidYet: OSStatus = -67819

/// A certificate was revoked.
public let errSecCertificateRevoked: OSStatus = -67820

/// A certificate was issued by one that is not an authority.
public let errSecInvalidCertAuthority: OSStatus = -67826

/// The chain is not trusted.
public let errSecNotTrusted: OSStatus = -67843

/// The result of an evaluation, with Apple's numbers.
public enum SecTrustResultType: UInt32, Sendable {
  /// Nothing was evaluated since the last change.
  case invalid = 0
  /// Somebody decided to trust the chain. No function of this module returns it.
  case proceed = 1
  /// Somebody decided not to trust the chain. No function of this module returns it.
  case deny = 3
  /// Valid: the normal success.
  case unspecified = 4
  /// Not valid, for reasons that somebody may decide to ignore.
  case recoverableTrustFailure = 5
  /// Not valid, and no decision can change that.
  case fatalTrustFailure = 6
  /// The evaluation failed.
  case otherError = 7
}

// The methods of a revocation policy, with Apple's numbers.

/// By asking a responder.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1

/// By a list of the issuer's.
public let kSecRevocationCRLMethod: CFOptionFlags = 2

/// A list rather than a responder.
public let kSecRevocationPreferCRL: CFOptionFlags = 4

/// A certificate of which nothing is known is not accepted.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 8

/// Without a network.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 16

/// By either method.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags = 3

// The keys of an import.

/// The passphrase of a file: a text.
public let kSecImportExportPassphrase: CFString = "passphrase"

/// The part of the subject that tells a person whose the certificate is.
public let kSecImportItemLabel: CFString = "label"

/// SHA-1 of the public key.
public let kSecImportItemKeyID: CFString = "keyid"

/// A `SecTrust` of the certificates.
public let kSecImportItemTrust: CFString = "trust"

/// The certificates of the file, that of the identity first.
public let kSecImportItemCertChain: CFString = "chain"

/// A `SecIdentity`.
public let kSecImportItemIdentity: CFString = "identity"
