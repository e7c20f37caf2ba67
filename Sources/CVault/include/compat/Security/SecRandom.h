/* Apple's names for random bytes. */
#ifndef VAULT_COMPAT_SECRANDOM_H
#define VAULT_COMPAT_SECRANDOM_H

#include "SecBase.h"

typedef VaultRandomRef SecRandomRef;

/* The kernel's generator, which is the only one. */
VAULT_CONSTANT SecRandomRef kSecRandomDefault = (SecRandomRef)0;

#define SecRandomCopyBytes VaultRandomCopyBytes

#endif
