/* Apple's names for searches in keychains. */
#ifndef VAULT_COMPAT_SECKEYCHAINSEARCH_H
#define VAULT_COMPAT_SECKEYCHAINSEARCH_H

#include "SecKeychainItem.h"

#define SecKeychainSearchGetTypeID VaultSearchGetTypeID
#define SecKeychainSearchCreateFromAttributes VaultSearchCreateFromAttributes
#define SecKeychainSearchCopyNext VaultSearchCopyNext

#endif
