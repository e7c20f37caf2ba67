/* Apple's names for access lists. */
#ifndef VAULT_COMPAT_SECACCESS_H
#define VAULT_COMPAT_SECACCESS_H

#include "SecBase.h"

#define SecAccessGetTypeID VaultAccessGetTypeID
#define SecAccessCreate VaultAccessCreate

#endif
