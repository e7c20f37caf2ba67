/* Apple's names for policies. */
#ifndef VAULT_COMPAT_SECPOLICY_H
#define VAULT_COMPAT_SECPOLICY_H

#include "SecBase.h"

#include "../../vault_sectrust.h"

#if !defined(VAULT_FOREIGN_COREFOUNDATION)

typedef VaultPolicyRef SecPolicyRef;

#define SecPolicyGetTypeID VaultPolicyGetTypeID
#define SecPolicyCreateSSL VaultPolicyCreateSSL
#define SecPolicyCreateBasicX509 VaultPolicyCreateBasicX509
#define SecPolicyCreateRevocation VaultPolicyCreateRevocation

enum {
  kSecRevocationOCSPMethod = kVaultRevocationOCSPMethod,
  kSecRevocationCRLMethod = kVaultRevocationCRLMethod,
  kSecRevocationPreferCRL = kVaultRevocationPreferCRL,
  kSecRevocationRequirePositiveResponse = kVaultRevocationRequirePositiveResponse,
  kSecRevocationNetworkAccessDisabled = kVaultRevocationNetworkAccessDisabled,
  kSecRevocationUseAnyAvailableMethod = kVaultRevocationUseAnyAvailableMethod,
};

#endif

#endif
