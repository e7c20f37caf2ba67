/* Apple's names of the references, of the statuses, and of what both need. */
#ifndef VAULT_COMPAT_SECBASE_H
#define VAULT_COMPAT_SECBASE_H

#include "../CoreFoundation/CoreFoundation.h"

#include "../../vault_keychain.h"
#include "SecErrors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

typedef VaultRef SecKeychainRef;
typedef VaultItemRef SecKeychainItemRef;
typedef VaultSearchRef SecKeychainSearchRef;
typedef VaultAccessRef SecAccessRef;
typedef VaultTrustedApplicationRef SecTrustedApplicationRef;

typedef VaultItemAttr SecKeychainAttrType;

/* Macros, so that the names also apply to the structures. */
#define SecKeychainAttribute VaultAttribute
#define SecKeychainAttributeList VaultAttributeList
#define SecKeychainAttributeInfo VaultAttributeInfo

typedef SecKeychainAttribute *SecKeychainAttributePtr;

/* ---- Functions ---- */

#if defined(VAULT_FOREIGN_COREFOUNDATION)
/* With another CoreFoundation, the message is copied into one of its strings. */
static inline CFStringRef SecCopyErrorMessageString(
    OSStatus status, void *reserved) {
  const char *message = VaultCopyErrorMessageString(status, reserved);
  if (message == NULL) return NULL;
  return CFStringCreateWithCString(NULL, message, kCFStringEncodingUTF8);
}
#else
#define SecCopyErrorMessageString VaultCopyErrorString
#endif

/* ---- Constants ---- */

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
