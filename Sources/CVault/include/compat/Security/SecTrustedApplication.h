/* Apple's names for the programs of access lists. */
#ifndef VAULT_COMPAT_SECTRUSTEDAPPLICATION_H
#define VAULT_COMPAT_SECTRUSTEDAPPLICATION_H

#include "SecBase.h"

#define SecTrustedApplicationGetTypeID VaultTrustedApplicationGetTypeID
#define SecTrustedApplicationCreateFromPath VaultTrustedApplicationCreateFromPath

#endif
