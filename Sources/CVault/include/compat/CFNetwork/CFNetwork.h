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

VAULT_STRING(kCFHTTPVersion1_0, "HTTP/1.0");
VAULT_STRING(kCFHTTPVersion1_1, "HTTP/1.1");
VAULT_STRING(kCFStreamPropertyHTTPResponseHeader, "kCFStreamPropertyHTTPResponseHeader");
VAULT_STRING(kCFHTTPAuthenticationUsername, "kCFHTTPAuthenticationUsername");
VAULT_STRING(kCFHTTPAuthenticationPassword, "kCFHTTPAuthenticationPassword");
VAULT_STRING(kCFHTTPAuthenticationAccountDomain, "kCFHTTPAuthenticationAccountDomain");
VAULT_STRING(kCFHTTPAuthenticationSchemeBasic, "Basic");
VAULT_STRING(kCFHTTPAuthenticationSchemeDigest, "Digest");
VAULT_STRING(kCFHTTPAuthenticationSchemeNTLM, "NTLM");
VAULT_STRING(kCFHTTPAuthenticationSchemeNegotiate, "Negotiate");

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
