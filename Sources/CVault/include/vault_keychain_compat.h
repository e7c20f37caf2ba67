/*
 * Apple's names for vault_keychain.h, so that C code limited to these functions compiles unchanged.
 *
 * A program that includes <Security/Security.h> finds this header with the folder `compat` on its
 * include path. CoreFoundation is provided only as far as the functions need it: a CFStringRef is a
 * C string, and a CFArrayRef a list of vaults.
 */
#ifndef VAULT_KEYCHAIN_COMPAT_H
#define VAULT_KEYCHAIN_COMPAT_H

/* Apple's header includes these, and programs rely on it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vault_keychain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

typedef unsigned char Boolean;
typedef uint8_t UInt8;
typedef uint16_t UInt16;
typedef int32_t SInt32;
typedef uint32_t UInt32;
typedef int32_t OSStatus;
typedef uint32_t FourCharCode;
typedef FourCharCode OSType;

#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif

enum { noErr = 0 };

typedef VaultRef SecKeychainRef;
typedef VaultItemRef SecKeychainItemRef;
typedef VaultSearchRef SecKeychainSearchRef;
typedef VaultItemClass SecItemClass;
typedef VaultItemAttr SecItemAttr;
typedef VaultItemAttr SecKeychainAttrType;
typedef VaultProtocolType SecProtocolType;
typedef VaultAuthenticationType SecAuthenticationType;
typedef UInt32 SecKeychainStatus;

/* Macros, so that the names also apply to the structures. */
#define SecKeychainAttribute VaultAttribute
#define SecKeychainAttributeList VaultAttributeList
#define SecKeychainAttributeInfo VaultAttributeInfo

typedef SecKeychainAttribute *SecKeychainAttributePtr;

/* ---- CoreFoundation ---- */

typedef const void *CFTypeRef;
typedef const char *CFStringRef;
typedef VaultListRef CFArrayRef;
typedef const void *CFAllocatorRef;
typedef long CFIndex;
typedef UInt32 CFStringEncoding;

/* The callbacks of a list for its elements; vaults do not use them. */
typedef struct CFArrayCallBacks {
  CFIndex version;
} CFArrayCallBacks;

static const CFArrayCallBacks kCFTypeArrayCallBacks = {0};

#define kCFAllocatorDefault ((CFAllocatorRef)NULL)

enum {
  kCFStringEncodingASCII = 0x0600,
  kCFStringEncodingUTF8 = 0x08000100,
};

#define CFRetain VaultRetain
#define CFRelease VaultRelease

/*
 * Makes a list of vaults. If one of the values is not a vault, the result is not a list either, and
 * every function reports this; NULL would mean the default vault.
 */
static inline CFArrayRef VAULT_NULLABLE CFArrayCreate(
    CFAllocatorRef VAULT_NULLABLE allocator, const void *VAULT_NULLABLE *VAULT_NULLABLE values,
    CFIndex count, const CFArrayCallBacks *VAULT_NULLABLE callbacks) {
  VaultListRef list = (VaultListRef)(uintptr_t)&kCFTypeArrayCallBacks;
  (void)allocator;
  (void)callbacks;
  if (count < 0 || count > UINT32_MAX) return list;
  (void)VaultListCreate((const VaultRef *)values, (uint32_t)count, &list);
  return list;
}

static inline CFIndex CFStringGetLength(CFStringRef VAULT_NULLABLE string) {
  return string == NULL ? 0 : (CFIndex)strlen(string);
}

static inline const char *VAULT_NULLABLE CFStringGetCStringPtr(
    CFStringRef VAULT_NULLABLE string, CFStringEncoding encoding) {
  (void)encoding;
  return string;
}

/* Copies a message with its NUL; returns FALSE if there is not enough room. */
static inline Boolean CFStringGetCString(
    CFStringRef VAULT_NULLABLE string, char *VAULT_NULLABLE buffer, CFIndex size,
    CFStringEncoding encoding) {
  (void)encoding;
  if (string == NULL || buffer == NULL || size <= CFStringGetLength(string)) return FALSE;
  memcpy(buffer, string, (size_t)CFStringGetLength(string) + 1);
  return TRUE;
}

/* ---- Functions ---- */

#define SecKeychainFindInternetPassword VaultFindInternetPassword
#define SecKeychainAddInternetPassword VaultAddInternetPassword
#define SecKeychainItemModifyContent VaultItemModifyContent
#define SecKeychainItemModifyAttributesAndData VaultItemModifyAttributesAndData
#define SecKeychainItemCopyContent VaultItemCopyContent
#define SecKeychainItemFreeContent VaultItemFreeContent
#define SecKeychainItemCopyAttributesAndData VaultItemCopyAttributesAndData
#define SecKeychainItemFreeAttributesAndData VaultItemFreeAttributesAndData
#define SecKeychainItemDelete VaultItemDelete
#define SecKeychainSearchCreateFromAttributes VaultSearchCreateFromAttributes
#define SecKeychainSearchCopyNext VaultSearchCopyNext
#define SecKeychainOpen VaultOpen
#define SecKeychainLock VaultLock
#define SecKeychainUnlock VaultUnlock
#define SecKeychainGetStatus VaultGetStatus
#define SecCopyErrorMessageString VaultCopyErrorMessageString

/* ---- Constants ---- */

enum {
  kSecInternetPasswordItemClass = kVaultInternetPasswordItemClass,
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

enum {
  kSecProtocolTypeFTP = kVaultProtocolTypeFTP,
  kSecProtocolTypeFTPAccount = kVaultProtocolTypeFTPAccount,
  kSecProtocolTypeHTTP = kVaultProtocolTypeHTTP,
  kSecProtocolTypeIRC = kVaultProtocolTypeIRC,
  kSecProtocolTypeNNTP = kVaultProtocolTypeNNTP,
  kSecProtocolTypePOP3 = kVaultProtocolTypePOP3,
  kSecProtocolTypeSMTP = kVaultProtocolTypeSMTP,
  kSecProtocolTypeSOCKS = kVaultProtocolTypeSOCKS,
  kSecProtocolTypeIMAP = kVaultProtocolTypeIMAP,
  kSecProtocolTypeLDAP = kVaultProtocolTypeLDAP,
  kSecProtocolTypeAppleTalk = kVaultProtocolTypeAppleTalk,
  kSecProtocolTypeAFP = kVaultProtocolTypeAFP,
  kSecProtocolTypeTelnet = kVaultProtocolTypeTelnet,
  kSecProtocolTypeSSH = kVaultProtocolTypeSSH,
  kSecProtocolTypeFTPS = kVaultProtocolTypeFTPS,
  kSecProtocolTypeHTTPS = kVaultProtocolTypeHTTPS,
  kSecProtocolTypeHTTPProxy = kVaultProtocolTypeHTTPProxy,
  kSecProtocolTypeHTTPSProxy = kVaultProtocolTypeHTTPSProxy,
  kSecProtocolTypeFTPProxy = kVaultProtocolTypeFTPProxy,
  kSecProtocolTypeCIFS = kVaultProtocolTypeCIFS,
  kSecProtocolTypeSMB = kVaultProtocolTypeSMB,
  kSecProtocolTypeRTSP = kVaultProtocolTypeRTSP,
  kSecProtocolTypeRTSPProxy = kVaultProtocolTypeRTSPProxy,
  kSecProtocolTypeDAAP = kVaultProtocolTypeDAAP,
  kSecProtocolTypeEPPC = kVaultProtocolTypeEPPC,
  kSecProtocolTypeIPP = kVaultProtocolTypeIPP,
  kSecProtocolTypeNNTPS = kVaultProtocolTypeNNTPS,
  kSecProtocolTypeLDAPS = kVaultProtocolTypeLDAPS,
  kSecProtocolTypeTelnetS = kVaultProtocolTypeTelnetS,
  kSecProtocolTypeIMAPS = kVaultProtocolTypeIMAPS,
  kSecProtocolTypeIRCS = kVaultProtocolTypeIRCS,
  kSecProtocolTypePOP3S = kVaultProtocolTypePOP3S,
  kSecProtocolTypeCVSpserver = kVaultProtocolTypeCVSpserver,
  kSecProtocolTypeSVN = kVaultProtocolTypeSVN,
  kSecProtocolTypeAny = kVaultProtocolTypeAny,
};

enum {
  kSecAuthenticationTypeNTLM = kVaultAuthenticationTypeNTLM,
  kSecAuthenticationTypeMSN = kVaultAuthenticationTypeMSN,
  kSecAuthenticationTypeDPA = kVaultAuthenticationTypeDPA,
  kSecAuthenticationTypeRPA = kVaultAuthenticationTypeRPA,
  kSecAuthenticationTypeHTTPBasic = kVaultAuthenticationTypeHTTPBasic,
  kSecAuthenticationTypeHTTPDigest = kVaultAuthenticationTypeHTTPDigest,
  kSecAuthenticationTypeHTMLForm = kVaultAuthenticationTypeHTMLForm,
  kSecAuthenticationTypeDefault = kVaultAuthenticationTypeDefault,
  kSecAuthenticationTypeAny = kVaultAuthenticationTypeAny,
};

enum {
  kSecUnlockStateStatus = kVaultUnlockStateStatus,
  kSecReadPermStatus = kVaultReadPermStatus,
  kSecWritePermStatus = kVaultWritePermStatus,
};

enum {
  errSecSuccess = errVaultSuccess,
  errSecUnimplemented = errVaultUnimplemented,
  errSecDiskFull = errVaultDiskFull,
  errSecIO = errVaultIO,
  errSecParam = errVaultParam,
  errSecWrPerm = errVaultWrPerm,
  errSecAllocate = errVaultAllocate,
  errSecUserCanceled = errVaultUserCanceled,
  errSecBadReq = errVaultBadReq,
  errSecInternalComponent = errVaultInternalComponent,
  errSecNotAvailable = errVaultNotAvailable,
  errSecReadOnly = errVaultReadOnly,
  errSecAuthFailed = errVaultAuthFailed,
  errSecNoSuchKeychain = errVaultNoSuchKeychain,
  errSecInvalidKeychain = errVaultInvalidKeychain,
  errSecDuplicateKeychain = errVaultDuplicateKeychain,
  errSecDuplicateItem = errVaultDuplicateItem,
  errSecItemNotFound = errVaultItemNotFound,
  errSecBufferTooSmall = errVaultBufferTooSmall,
  errSecDataTooLarge = errVaultDataTooLarge,
  errSecNoSuchAttr = errVaultNoSuchAttr,
  errSecInvalidItemRef = errVaultInvalidItemRef,
  errSecInvalidSearchRef = errVaultInvalidSearchRef,
  errSecNoSuchClass = errVaultNoSuchClass,
  errSecNoDefaultKeychain = errVaultNoDefaultKeychain,
  errSecInteractionNotAllowed = errVaultInteractionNotAllowed,
  errSecReadOnlyAttr = errVaultReadOnlyAttr,
  errSecWrongSecVersion = errVaultWrongSecVersion,
  errSecNoAccessForItem = errVaultNoAccessForItem,
  errSecDataNotAvailable = errVaultDataNotAvailable,
  errSecDecode = errVaultDecode,
  errSecServiceNotAvailable = errVaultServiceNotAvailable,
  errSecInternalError = errVaultInternalError,
  errSecInvalidPointer = errVaultInvalidPointer,
  errSecInvalidQuery = errVaultInvalidQuery,
  errSecInvalidValue = errVaultInvalidValue,
  errSecVerifyFailed = errVaultVerifyFailed,
  errSecDatabaseLocked = errVaultDatabaseLocked,
  errSecMissingValue = errVaultMissingValue,
};

/* The formats that a SecKeychainAttributeInfo may name, which are ignored. */
enum {
  CSSM_DB_ATTRIBUTE_FORMAT_STRING = 0,
  CSSM_DB_ATTRIBUTE_FORMAT_SINT32 = 1,
  CSSM_DB_ATTRIBUTE_FORMAT_UINT32 = 2,
  CSSM_DB_ATTRIBUTE_FORMAT_TIME_DATE = 5,
  CSSM_DB_ATTRIBUTE_FORMAT_BLOB = 6,
};

#ifdef __cplusplus
}
#endif

#endif
