/* The parts of Apple's Security that vaults have. */
#ifndef VAULT_COMPAT_SECURITY_H
#define VAULT_COMPAT_SECURITY_H

#include "SecAccess.h"
#include "SecBase.h"
#include "SecCertificate.h"
#include "SecIdentity.h"
#include "SecImportExport.h"
#include "SecItem.h"
#include "SecKey.h"
#include "SecKeychain.h"
#include "SecKeychainItem.h"
#include "SecKeychainSearch.h"
#include "SecPolicy.h"
#include "SecRandom.h"
#include "SecTrust.h"
#include "SecTrustedApplication.h"

#endif
