/* Apple's names for the evaluation of certificates. */
#ifndef VAULT_COMPAT_SECTRUST_H
#define VAULT_COMPAT_SECTRUST_H

#include "SecCertificate.h"
#include "SecPolicy.h"

#if !defined(VAULT_FOREIGN_COREFOUNDATION)

#ifdef __cplusplus
extern "C" {
#endif

typedef VaultTrustRef SecTrustRef;
typedef VaultTrustResultType SecTrustResultType;

enum {
  kSecTrustResultInvalid = kVaultTrustResultInvalid,
  kSecTrustResultProceed = kVaultTrustResultProceed,
  kSecTrustResultDeny = kVaultTrustResultDeny,
  kSecTrustResultUnspecified = kVaultTrustResultUnspecified,
  kSecTrustResultRecoverableTrustFailure = kVaultTrustResultRecoverableTrustFailure,
  kSecTrustResultFatalTrustFailure = kVaultTrustResultFatalTrustFailure,
  kSecTrustResultOtherError = kVaultTrustResultOtherError,
};

#define SecTrustGetTypeID VaultTrustGetTypeID
#define SecTrustCreateWithCertificates VaultTrustCreateWithCertificates
#define SecTrustSetPolicies VaultTrustSetPolicies
#define SecTrustSetAnchorCertificates VaultTrustSetAnchorCertificates
#define SecTrustSetAnchorCertificatesOnly VaultTrustSetAnchorCertificatesOnly
#define SecTrustSetVerifyDate VaultTrustSetVerifyDate
#define SecTrustEvaluateWithError VaultTrustEvaluateWithError
#define SecTrustEvaluate VaultTrustEvaluate
#define SecTrustGetTrustResult VaultTrustGetTrustResult
#define SecTrustGetCertificateCount VaultTrustGetCertificateCount
#define SecTrustCopyCertificateChain VaultTrustCopyCertificateChain
#define SecTrustGetCertificateAtIndex VaultTrustGetCertificateAtIndex
#define SecTrustCopyKey VaultTrustCopyKey
#define SecTrustCopyPublicKey VaultTrustCopyKey

#ifdef __cplusplus
}
#endif

#endif

#endif
