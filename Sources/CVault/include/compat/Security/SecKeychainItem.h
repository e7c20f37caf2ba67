/* Apple's names for the items of keychains. */
#ifndef VAULT_COMPAT_SECKEYCHAINITEM_H
#define VAULT_COMPAT_SECKEYCHAINITEM_H

#include "SecBase.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

typedef VaultItemClass SecItemClass;
typedef VaultItemAttr SecItemAttr;

/* ---- Functions ---- */

#define SecKeychainItemGetTypeID VaultItemGetTypeID
#define SecKeychainItemModifyAttributesAndData VaultItemModifyAttributesAndData
#define SecKeychainItemCreateFromContent VaultItemCreateFromContent
#define SecKeychainItemModifyContent VaultItemModifyContent
#define SecKeychainItemCopyContent VaultItemCopyContent
#define SecKeychainItemFreeContent VaultItemFreeContent
#define SecKeychainItemCopyAttributesAndData VaultItemCopyAttributesAndData
#define SecKeychainItemFreeAttributesAndData VaultItemFreeAttributesAndData
#define SecKeychainItemDelete VaultItemDelete
#define SecKeychainItemCopyKeychain VaultItemCopyVault
#define SecKeychainItemCreateCopy VaultItemCreateCopy
#define SecKeychainItemCreatePersistentReference VaultItemCreatePersistentReference
#define SecKeychainItemCopyFromPersistentReference VaultItemCopyFromPersistentReference

/* ---- Constants ---- */

enum {
  kSecInternetPasswordItemClass = kVaultInternetPasswordItemClass,
  kSecGenericPasswordItemClass = kVaultGenericPasswordItemClass,
};

enum {
  kSecCreationDateItemAttr = kVaultCreationDateItemAttr,
  kSecModDateItemAttr = kVaultModDateItemAttr,
  kSecDescriptionItemAttr = kVaultDescriptionItemAttr,
  kSecCommentItemAttr = kVaultCommentItemAttr,
  kSecCreatorItemAttr = kVaultCreatorItemAttr,
  kSecTypeItemAttr = kVaultTypeItemAttr,
  kSecScriptCodeItemAttr = kVaultScriptCodeItemAttr,
  kSecLabelItemAttr = kVaultLabelItemAttr,
  kSecInvisibleItemAttr = kVaultInvisibleItemAttr,
  kSecNegativeItemAttr = kVaultNegativeItemAttr,
  kSecCustomIconItemAttr = kVaultCustomIconItemAttr,
  kSecAccountItemAttr = kVaultAccountItemAttr,
  kSecSecurityDomainItemAttr = kVaultSecurityDomainItemAttr,
  kSecServerItemAttr = kVaultServerItemAttr,
  kSecAuthenticationTypeItemAttr = kVaultAuthenticationTypeItemAttr,
  kSecPortItemAttr = kVaultPortItemAttr,
  kSecPathItemAttr = kVaultPathItemAttr,
  kSecProtocolItemAttr = kVaultProtocolItemAttr,
  kSecProtectedDataItemAttr = kVaultProtectedDataItemAttr,
  kSecServiceItemAttr = kVaultServiceItemAttr,
  kSecGenericItemAttr = kVaultGenericItemAttr,
  kSecVolumeItemAttr = kVaultVolumeItemAttr,
  kSecAddressItemAttr = kVaultAddressItemAttr,
  kSecSignatureItemAttr = kVaultSignatureItemAttr,
  kSecAlias = kVaultAlias,
};

#ifdef __cplusplus
}
#endif

#endif
