/* Apple's names for identities and the names that prefer them. */
#ifndef VAULT_COMPAT_SECIDENTITY_H
#define VAULT_COMPAT_SECIDENTITY_H

#include "SecCertificate.h"

#if !defined(VAULT_FOREIGN_COREFOUNDATION)

typedef VaultIdentityRef SecIdentityRef;

#define SecIdentityGetTypeID VaultIdentityGetTypeID
#define SecIdentityCopyCertificate VaultIdentityCopyCertificate
#define SecIdentitySetPreferred VaultIdentitySetPreferred
#define SecIdentityCopyPreferred VaultIdentityCopyPreferred
#define SecIdentityCopyPrivateKey VaultIdentityCopyPrivateKey

#endif

#endif
