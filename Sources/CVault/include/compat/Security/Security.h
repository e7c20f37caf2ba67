/* The parts of Apple's Security that vaults have. */
#ifndef VAULT_COMPAT_SECURITY_H
#define VAULT_COMPAT_SECURITY_H

#include "SecBase.h"
#include "SecItem.h"
#include "SecKeychain.h"
#include "SecKeychainItem.h"
#include "SecKeychainSearch.h"

#endif
