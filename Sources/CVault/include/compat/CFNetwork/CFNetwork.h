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

static const CFStringRef kCFHTTPVersion1_0 = CFSTR("HTTP/1.0");
static const CFStringRef kCFHTTPVersion1_1 = CFSTR("HTTP/1.1");
static const CFStringRef kCFStreamPropertyHTTPResponseHeader = CFSTR("kCFStreamPropertyHTTPResponseHeader");
static const CFStringRef kCFHTTPAuthenticationUsername = CFSTR("kCFHTTPAuthenticationUsername");
static const CFStringRef kCFHTTPAuthenticationPassword = CFSTR("kCFHTTPAuthenticationPassword");
static const CFStringRef kCFHTTPAuthenticationAccountDomain = CFSTR("kCFHTTPAuthenticationAccountDomain");
static const CFStringRef kCFHTTPAuthenticationSchemeBasic = CFSTR("Basic");
static const CFStringRef kCFHTTPAuthenticationSchemeDigest = CFSTR("Digest");
static const CFStringRef kCFHTTPAuthenticationSchemeNTLM = CFSTR("NTLM");
static const CFStringRef kCFHTTPAuthenticationSchemeNegotiate = CFSTR("Negotiate");

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

#if defined(VAULT_INTEGER_REFERENCES)
#include "CFNetworkValues.h"
#endif

#ifdef __cplusplus
}
#endif

#endif

#endif
