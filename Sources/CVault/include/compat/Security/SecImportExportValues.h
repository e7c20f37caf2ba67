/* The constants of SecImportExport.h as values, for cgo, which has no static variables. */
#ifndef VAULT_COMPAT_SECIMPORTEXPORTVALUES_H
#define VAULT_COMPAT_SECIMPORTEXPORTVALUES_H

#define kSecImportExportPassphrase ((CFStringRef)kSecImportExportPassphrase)
#define kSecImportItemLabel ((CFStringRef)kSecImportItemLabel)
#define kSecImportItemKeyID ((CFStringRef)kSecImportItemKeyID)
#define kSecImportItemTrust ((CFStringRef)kSecImportItemTrust)
#define kSecImportItemCertChain ((CFStringRef)kSecImportItemCertChain)
#define kSecImportItemIdentity ((CFStringRef)kSecImportItemIdentity)

#endif
