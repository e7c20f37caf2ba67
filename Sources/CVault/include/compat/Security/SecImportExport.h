/* Apple's names for the import of PKCS #12. */
#ifndef VAULT_COMPAT_SECIMPORTEXPORT_H
#define VAULT_COMPAT_SECIMPORTEXPORT_H

#include "SecIdentity.h"
#include "SecTrust.h"

#if !defined(VAULT_FOREIGN_COREFOUNDATION)

#define SecPKCS12Import VaultPKCS12Import

VAULT_CONSTANT CFStringRef kSecImportExportPassphrase = CFSTR("passphrase");
VAULT_CONSTANT CFStringRef kSecImportItemLabel = CFSTR("label");
VAULT_CONSTANT CFStringRef kSecImportItemKeyID = CFSTR("keyid");
VAULT_CONSTANT CFStringRef kSecImportItemTrust = CFSTR("trust");
VAULT_CONSTANT CFStringRef kSecImportItemCertChain = CFSTR("chain");
VAULT_CONSTANT CFStringRef kSecImportItemIdentity = CFSTR("identity");

#endif

#endif
