/* Apple's names for the import of PKCS #12. */
#ifndef VAULT_COMPAT_SECIMPORTEXPORT_H
#define VAULT_COMPAT_SECIMPORTEXPORT_H

#include "SecIdentity.h"
#include "SecTrust.h"

#if !defined(VAULT_FOREIGN_COREFOUNDATION)

#define SecPKCS12Import VaultPKCS12Import

static const CFStringRef kSecImportExportPassphrase = CFSTR("passphrase");
static const CFStringRef kSecImportItemLabel = CFSTR("label");
static const CFStringRef kSecImportItemKeyID = CFSTR("keyid");
static const CFStringRef kSecImportItemTrust = CFSTR("trust");
static const CFStringRef kSecImportItemCertChain = CFSTR("chain");
static const CFStringRef kSecImportItemIdentity = CFSTR("identity");

#if defined(VAULT_INTEGER_REFERENCES)
#include "SecImportExportValues.h"
#endif

#endif

#endif
