/*
 * Apple's names for vault_cfnetwork.h, beside those of CoreFoundation.
 *
 * Beside the CoreFoundation of a Swift toolchain they are not declared: see
 * ../CoreFoundation/CoreFoundation.h.
 */
#ifndef VAULT_COMPAT_CFNETWORK_H
#define VAULT_COMPAT_CFNETWORK_H

#include "../CoreFoundation/CoreFoundation.h"

#include "../../vault_cfnetwork.h"

#if !defined(VAULT_FOREIGN_COREFOUNDATION)

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

typedef VaultCFURLRef CFURLRef;
typedef VaultHTTPMessageRef CFHTTPMessageRef;
typedef VaultHTTPAuthenticationRef CFHTTPAuthenticationRef;
typedef VaultReadStreamRef CFReadStreamRef;

/* A macro, so that the name also applies to the structure. */
#define CFStreamError VaultStreamError

/* ---- Constants ---- */

enum { kCFStreamErrorDomainHTTP = kVaultStreamErrorDomainHTTP };

enum {
  kCFStreamErrorHTTPParseFailure = kVaultStreamErrorHTTPParseFailure,
  kCFStreamErrorHTTPAuthenticationTypeUnsupported =
      kVaultStreamErrorHTTPAuthenticationTypeUnsupported,
  kCFStreamErrorHTTPAuthenticationBadUserName = kVaultStreamErrorHTTPAuthenticationBadUserName,
  kCFStreamErrorHTTPAuthenticationBadPassword = kVaultStreamErrorHTTPAuthenticationBadPassword,
};

VAULT_CONSTANT CFStringRef kCFHTTPVersion1_0 = CFSTR("HTTP/1.0");
VAULT_CONSTANT CFStringRef kCFHTTPVersion1_1 = CFSTR("HTTP/1.1");
VAULT_CONSTANT CFStringRef kCFStreamPropertyHTTPResponseHeader = CFSTR("kCFStreamPropertyHTTPResponseHeader");
VAULT_CONSTANT CFStringRef kCFHTTPAuthenticationUsername = CFSTR("kCFHTTPAuthenticationUsername");
VAULT_CONSTANT CFStringRef kCFHTTPAuthenticationPassword = CFSTR("kCFHTTPAuthenticationPassword");
VAULT_CONSTANT CFStringRef kCFHTTPAuthenticationAccountDomain = CFSTR("kCFHTTPAuthenticationAccountDomain");
VAULT_CONSTANT CFStringRef kCFHTTPAuthenticationSchemeBasic = CFSTR("Basic");
VAULT_CONSTANT CFStringRef kCFHTTPAuthenticationSchemeDigest = CFSTR("Digest");
VAULT_CONSTANT CFStringRef kCFHTTPAuthenticationSchemeNTLM = CFSTR("NTLM");
VAULT_CONSTANT CFStringRef kCFHTTPAuthenticationSchemeNegotiate = CFSTR("Negotiate");

/* ---- Functions ---- */

#define CFURLGetTypeID VaultCFURLGetTypeID
#define CFURLCreateWithString VaultCFURLCreateWithString
#define CFURLCopyScheme VaultCFURLCopyScheme
#define CFURLCopyHostName VaultCFURLCopyHostName
#define CFURLCopyPath VaultCFURLCopyPath
#define CFURLGetPortNumber VaultCFURLGetPortNumber
#define CFHTTPMessageGetTypeID VaultHTTPMessageGetTypeID
#define CFHTTPMessageCreateRequest VaultHTTPMessageCreateRequest
#define CFHTTPMessageCreateResponse VaultHTTPMessageCreateResponse
#define CFHTTPMessageCreateEmpty VaultHTTPMessageCreateEmpty
#define CFHTTPMessageAppendBytes VaultHTTPMessageAppendBytes
#define CFHTTPMessageIsHeaderComplete VaultHTTPMessageIsHeaderComplete
#define CFHTTPMessageIsRequest VaultHTTPMessageIsRequest
#define CFHTTPMessageCopyHeaderFieldValue VaultHTTPMessageCopyHeaderFieldValue
#define CFHTTPMessageSetHeaderFieldValue VaultHTTPMessageSetHeaderFieldValue
#define CFHTTPMessageCopyAllHeaderFields VaultHTTPMessageCopyAllHeaderFields
#define CFHTTPMessageSetBody VaultHTTPMessageSetBody
#define CFHTTPMessageCopyBody VaultHTTPMessageCopyBody
#define CFHTTPMessageCopySerializedMessage VaultHTTPMessageCopySerializedMessage
#define CFHTTPMessageCopyRequestURL VaultHTTPMessageCopyRequestURL
#define CFHTTPMessageCopyRequestMethod VaultHTTPMessageCopyRequestMethod
#define CFHTTPMessageGetResponseStatusCode VaultHTTPMessageGetResponseStatusCode
#define CFReadStreamCopyProperty VaultReadStreamCopyProperty
#define CFHTTPAuthenticationGetTypeID VaultHTTPAuthenticationGetTypeID
#define CFHTTPAuthenticationCreateFromResponse VaultHTTPAuthenticationCreateFromResponse
#define CFHTTPAuthenticationIsValid VaultHTTPAuthenticationIsValid
#define CFHTTPAuthenticationAppliesToRequest VaultHTTPAuthenticationAppliesToRequest
#define CFHTTPAuthenticationRequiresOrderedRequests VaultHTTPAuthenticationRequiresOrderedRequests
#define CFHTTPAuthenticationCopyRealm VaultHTTPAuthenticationCopyRealm
#define CFHTTPAuthenticationCopyDomains VaultHTTPAuthenticationCopyDomains
#define CFHTTPAuthenticationCopyMethod VaultHTTPAuthenticationCopyMethod
#define CFHTTPAuthenticationRequiresUserNameAndPassword \
  VaultHTTPAuthenticationRequiresUserNameAndPassword
#define CFHTTPAuthenticationRequiresAccountDomain VaultHTTPAuthenticationRequiresAccountDomain
#define CFHTTPMessageApplyCredentials VaultHTTPMessageApplyCredentials
#define CFHTTPMessageApplyCredentialDictionary VaultHTTPMessageApplyCredentialDictionary

#ifdef __cplusplus
}
#endif

#endif

#endif
