/* Apple's names for the import of PKCS #12. */
#ifndef VAULT_COMPAT_SECIMPORTEXPORT_H
#define VAULT_COMPAT_SECIMPORTEXPORT_H

#include "SecIdentity.h"
#include "SecTrust.h"

#if !defined(VAULT_FOREIGN_COREFOUNDATION)

#define SecPKCS12Import VaultPKCS12Import

VAULT_STRING(kSecImportExportPassphrase, "passphrase");
VAULT_STRING(kSecImportItemLabel, "label");
VAULT_STRING(kSecImportItemKeyID, "keyid");
VAULT_STRING(kSecImportItemTrust, "trust");
VAULT_STRING(kSecImportItemCertChain, "chain");
VAULT_STRING(kSecImportItemIdentity, "identity");

#endif

#endif
