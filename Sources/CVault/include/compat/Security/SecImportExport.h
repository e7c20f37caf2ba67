/* Apple's names for the import of PKCS #12. */
#ifndef VAULT_COMPAT_SECIMPORTEXPORT_H
#define VAULT_COMPAT_SECIMPORTEXPORT_H

#include "SecIdentity.h"
#include "SecTrust.h"

#if !defined(VAULT_FOREIGN_COREFOUNDATION)

#define SecPKCS12Import VaultPKCS12Import

#define kSecImportExportPassphrase CFSTR("passphrase")
#define kSecImportItemLabel CFSTR("label")
#define kSecImportItemKeyID CFSTR("keyid")
#define kSecImportItemTrust CFSTR("trust")
#define kSecImportItemCertChain CFSTR("chain")
#define kSecImportItemIdentity CFSTR("identity")

#endif

#endif
