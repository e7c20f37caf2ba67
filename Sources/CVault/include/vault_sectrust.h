/*
 * Apple's functions for certificates, policies, trust and the import of identities.
 *
 * The functions have the parameters and the ownership of Apple's, as vault_corefoundation.h says;
 * compat/Security has Apple's names. Certificates, identities, policies, trusts and errors are
 * handles: they can be retained and released like objects, and be elements of collections. Nothing
 * here does any networking. Documentation/tls.md lists the differences.
 */
#ifndef VAULT_SECTRUST_H
#define VAULT_SECTRUST_H

#include "vault_corefoundation.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

typedef VAULT_REFERENCE(struct VaultCertificate) VaultCertificateRef;
/* A certificate with its private key. */
typedef VAULT_REFERENCE(struct VaultIdentity) VaultIdentityRef;
/* The purpose that a chain must be valid for. */
typedef VAULT_REFERENCE(struct VaultPolicy) VaultPolicyRef;
/* A chain, the policies that it has to satisfy, and the results of its evaluation. */
typedef VAULT_REFERENCE(struct VaultTrust) VaultTrustRef;
typedef VAULT_REFERENCE(struct VaultCFError) VaultCFErrorRef;

/* The result of an evaluation; kVaultTrustResultProceed and -Deny are never returned. */
typedef uint32_t VaultTrustResultType;

enum {
  /* Nothing was evaluated since the last change. */
  kVaultTrustResultInvalid = 0,
  kVaultTrustResultProceed = 1,
  kVaultTrustResultDeny = 3,
  /* Valid: the normal success. */
  kVaultTrustResultUnspecified = 4,
  /* Not valid, for reasons that somebody may decide to ignore. */
  kVaultTrustResultRecoverableTrustFailure = 5,
  /* Not valid, and no decision can change that. */
  kVaultTrustResultFatalTrustFailure = 6,
  kVaultTrustResultOtherError = 7,
};

/* Why a chain is not trusted; any other reason is errVaultNotTrusted. */
enum {
  errVaultHostNameMismatch = -67602,
  errVaultUnknownCriticalExtensionFlag = -67603,
  errVaultInvalidExtendedKeyUsage = -67609,
  errVaultCertificateExpired = -67818,
  errVaultCertificateNotValidYet = -67819,
  errVaultCertificateRevoked = -67820,
  errVaultInvalidCertAuthority = -67826,
  errVaultNotTrusted = -67843,
};

/* Whether a certificate was revoked is not known, and the policy requires that it is. */
enum { errVaultIncompleteCertRevocationCheck = -67635 };

/* The methods of a revocation policy. */
enum {
  kVaultRevocationOCSPMethod = 1,
  kVaultRevocationCRLMethod = 2,
  kVaultRevocationPreferCRL = 4,
  kVaultRevocationRequirePositiveResponse = 8,
  kVaultRevocationNetworkAccessDisabled = 16,
  kVaultRevocationUseAnyAvailableMethod = 3,
};

/* ---- Errors ---- */

VaultCFTypeID VaultCFErrorGetTypeID(void);

/* Returns the status: one of the above, or of vault_keychain.h. */
VaultCFIndex VaultCFErrorGetCode(VaultCFErrorRef VAULT_REQUIRED error);

/* Returns `NSOSStatusErrorDomain`, a constant. */
VaultCFStringRef VAULT_NULLABLE VaultCFErrorGetDomain(VaultCFErrorRef VAULT_REQUIRED error);

/* Copies the reasons in English; NULL without memory. */
VaultCFStringRef VAULT_NULLABLE VaultCFErrorCopyDescription(VaultCFErrorRef VAULT_REQUIRED error);

/*
 * Copies what is known of an error: its description, for "NSLocalizedDescription". NULL without
 * memory.
 */
VaultCFDictionaryRef VAULT_NULLABLE VaultCFErrorCopyUserInfo(VaultCFErrorRef VAULT_REQUIRED error);

/* ---- Certificates ---- */

VaultCFTypeID VaultCertificateGetTypeID(void);

/* Reads the encoding of one certificate by DER; NULL if the data are not one. */
VaultCertificateRef VAULT_NULLABLE VaultCertificateCreateWithData(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFDataRef VAULT_REQUIRED data);

VaultCFDataRef VAULT_NULLABLE VaultCertificateCopyData(
    VaultCertificateRef VAULT_REQUIRED certificate);

/*
 * Copies the part of the subject that tells a person whose it is: the common name, else the
 * organizational unit or the organization, else all of it.
 */
VaultCFStringRef VAULT_NULLABLE VaultCertificateCopySubjectSummary(
    VaultCertificateRef VAULT_REQUIRED certificate);

/* ---- Policies ---- */

VaultCFTypeID VaultPolicyGetTypeID(void);

/*
 * Makes a policy for TLS.
 *
 * server: whether the certificate is a server's, which a client evaluates.
 * hostname: the host that it has to be for; NULL for any.
 */
VaultPolicyRef VAULT_NULLABLE VaultPolicyCreateSSL(
    unsigned char server, VaultCFStringRef VAULT_NULLABLE hostname);

/* Makes a policy that requires a valid chain and nothing else. */
VaultPolicyRef VAULT_NULLABLE VaultPolicyCreateBasicX509(void);

/*
 * Makes a policy that requires that no certificate was revoked.
 *
 * flags: of the ones above. Nothing is fetched, so the methods have no effect: a certificate of
 *     which nothing is known is accepted, as with Apple, unless a positive response is required;
 *     with that flag no chain satisfies the policy. NULL for 0, and for an unknown flag.
 */
VaultPolicyRef VAULT_NULLABLE VaultPolicyCreateRevocation(VaultCFOptionFlags flags);

/* ---- Trust ---- */

VaultCFTypeID VaultTrustGetTypeID(void);

/*
 * Creates the trust in a chain.
 *
 * certificates: a certificate, or an array of them: the leaf first, others in any order.
 * policies: a policy, or an array of them, all of which have to be satisfied; NULL for the basic
 *     one.
 * trust: receives the caller's own handle.
 * Returns errVaultParam for anything else than certificates and policies.
 */
int32_t VaultTrustCreateWithCertificates(
    VaultCFTypeRef VAULT_REQUIRED certificates, VaultCFTypeRef VAULT_NULLABLE policies,
    VaultTrustRef VAULT_NULLABLE *VAULT_REQUIRED trust);

/* Sets the policies, or one. Returns errVaultParam for anything else. */
int32_t VaultTrustSetPolicies(
    VaultTrustRef VAULT_REQUIRED trust, VaultCFTypeRef VAULT_REQUIRED policies);

/*
 * Sets the authorities in place of the system's, which NULL restores. Returns errVaultParam for
 * anything but an array of certificates.
 */
int32_t VaultTrustSetAnchorCertificates(
    VaultTrustRef VAULT_REQUIRED trust, VaultCFArrayRef VAULT_NULLABLE anchors);

/* Sets whether the authorities that were set are the only ones, or count beside the system's. */
int32_t VaultTrustSetAnchorCertificatesOnly(VaultTrustRef VAULT_REQUIRED trust, unsigned char only);

/* Sets the time to evaluate for, which is otherwise that of the evaluation. */
int32_t VaultTrustSetVerifyDate(
    VaultTrustRef VAULT_REQUIRED trust, VaultCFDateRef VAULT_REQUIRED date);

/*
 * Evaluates the chain.
 *
 * error: receives the caller's own error with the gravest reason, or NULL if the chain is trusted;
 *     may be NULL.
 * Returns whether the chain is trusted.
 */
bool VaultTrustEvaluateWithError(
    VaultTrustRef VAULT_REQUIRED trust, VaultCFErrorRef VAULT_NULLABLE *VAULT_NULLABLE error);

/* Evaluates the chain; a chain that is not trusted is not an error. */
int32_t VaultTrustEvaluate(
    VaultTrustRef VAULT_REQUIRED trust, VaultTrustResultType *VAULT_REQUIRED result);

/* Returns the result of the last evaluation. */
int32_t VaultTrustGetTrustResult(
    VaultTrustRef VAULT_REQUIRED trust, VaultTrustResultType *VAULT_REQUIRED result);

/* Returns the number of certificates that VaultTrustCopyCertificateChain() copies. */
VaultCFIndex VaultTrustGetCertificateCount(VaultTrustRef VAULT_REQUIRED trust);

/*
 * Returns one of these certificates, which the trust owns as long as it exists; NULL for an index
 * that is not inside.
 */
VaultCertificateRef VAULT_NULLABLE VaultTrustGetCertificateAtIndex(
    VaultTrustRef VAULT_REQUIRED trust, VaultCFIndex index);

/*
 * Copies the certificates of the validated path, the leaf first; before an evaluation those that
 * were given.
 */
VaultCFArrayRef VAULT_NULLABLE VaultTrustCopyCertificateChain(VaultTrustRef VAULT_REQUIRED trust);

/* ---- Identities ---- */

VaultCFTypeID VaultIdentityGetTypeID(void);

int32_t VaultIdentityCopyCertificate(
    VaultIdentityRef VAULT_REQUIRED identity,
    VaultCertificateRef VAULT_NULLABLE *VAULT_REQUIRED certificate);

/*
 * Reads the identities of a PKCS #12 file.
 *
 * options: the file's passphrase as the text of kSecImportExportPassphrase; other keys are ignored.
 *     Its bytes are wiped with its last owner.
 * items: receives the caller's own array with a dictionary for each identity, none for a file
 *     without one.
 * Returns errVaultAuthFailed for a wrong passphrase, errVaultDecode for any other file, and
 * errVaultParam for options that are none.
 */
int32_t VaultPKCS12Import(
    VaultCFDataRef VAULT_REQUIRED file, VaultCFDictionaryRef VAULT_NULLABLE options,
    VaultCFArrayRef VAULT_NULLABLE *VAULT_REQUIRED items);

/*
 * Prefers an identity for a name, in the default vault.
 *
 * identity: one whose certificate the vault has; NULL to prefer none.
 * name: a URL, or a domain with `*.` before it.
 * key_usage: ignored.
 * Returns errVaultItemNotFound if the vault does not have the identity, errVaultParam for another
 * name.
 */
int32_t VaultIdentitySetPreferred(
    VaultIdentityRef VAULT_NULLABLE identity, VaultCFStringRef VAULT_REQUIRED name,
    VaultCFArrayRef VAULT_NULLABLE key_usage);

/*
 * Returns the identity that is preferred for a name, for the paths above it or for its domain.
 *
 * key_usage, valid_issuers: ignored, the second as on Apple's systems.
 * Returns NULL if there is none, or the vault cannot be opened; vault_last_error() says why.
 */
VaultIdentityRef VAULT_NULLABLE VaultIdentityCopyPreferred(
    VaultCFStringRef VAULT_REQUIRED name, VaultCFArrayRef VAULT_NULLABLE key_usage,
    VaultCFArrayRef VAULT_NULLABLE valid_issuers);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
