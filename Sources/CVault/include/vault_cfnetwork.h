/*
 * CFHTTPAuthentication in the shape of Apple's, and of CFHTTPMessage, CFURL and CFReadStream what
 * it
 * needs: an HTTP client describes its request and each response, and gets the fields to send.
 *
 * The functions have the parameters and the ownership of Apple's, as vault_corefoundation.h says;
 * compat/CFNetwork/CFNetwork.h has Apple's names. Nothing here does any networking. Messages, URLs,
 * authentications and streams are handles: they can be retained and released like objects, and be
 * elements of collections. A handle of another kind, and NULL, change nothing and give 0, NULL or
 * false. Requests go to http and https; Basic and Digest are answered.
 */
#ifndef VAULT_CFNETWORK_H
#define VAULT_CFNETWORK_H

#include "vault_corefoundation.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

typedef VAULT_REFERENCE(const struct VaultCFURL) VaultCFURLRef;
typedef VAULT_REFERENCE(struct VaultHTTPMessage) VaultHTTPMessageRef;
typedef VAULT_REFERENCE(struct VaultHTTPAuthentication) VaultHTTPAuthenticationRef;
typedef VAULT_REFERENCE(struct VaultReadStream) VaultReadStreamRef;

/* An error and the domain of its number. */
typedef struct VaultStreamError {
  VaultCFIndex domain;
  int32_t error;
} VaultStreamError;

enum { kVaultStreamErrorDomainHTTP = 4 };

/* Errors of that domain. */
enum {
  /* The response has no readable challenge. */
  kVaultStreamErrorHTTPParseFailure = -1,
  /* None of the schemes is answered. */
  kVaultStreamErrorHTTPAuthenticationTypeUnsupported = -1000,
  /* The scheme cannot carry the user, or the server denies them access. */
  kVaultStreamErrorHTTPAuthenticationBadUserName = -1001,
  /* The server rejected the password, or the scheme cannot carry it. */
  kVaultStreamErrorHTTPAuthenticationBadPassword = -1002,
};

/* ---- URLs ---- */

VaultCFTypeID VaultCFURLGetTypeID(void);

/*
 * Makes a URL of http or https.
 *
 * base: must be NULL: the text is absolute.
 * NULL for another scheme, and for invalid text.
 */
VaultCFURLRef VAULT_NULLABLE VaultCFURLCreateWithString(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFStringRef VAULT_REQUIRED text,
    VaultCFURLRef VAULT_NULLABLE base);

VaultCFStringRef VAULT_NULLABLE VaultCFURLCopyScheme(VaultCFURLRef VAULT_REQUIRED url);

VaultCFStringRef VAULT_NULLABLE VaultCFURLCopyHostName(VaultCFURLRef VAULT_REQUIRED url);

/* Copies the path, percent-encoded, without the query; `/` at least. */
VaultCFStringRef VAULT_NULLABLE VaultCFURLCopyPath(VaultCFURLRef VAULT_REQUIRED url);

/* Returns the port that the URL names; -1 if it names none. */
int VaultCFURLGetPortNumber(VaultCFURLRef VAULT_REQUIRED url);

/* ---- Messages ---- */

VaultCFTypeID VaultHTTPMessageGetTypeID(void);

/* Makes a request; `version` is "HTTP/1.1" if it is NULL. */
VaultHTTPMessageRef VAULT_NULLABLE VaultHTTPMessageCreateRequest(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFStringRef VAULT_REQUIRED method,
    VaultCFURLRef VAULT_REQUIRED url, VaultCFStringRef VAULT_NULLABLE version);

/* Makes a response; `description` may be NULL. NULL unless 100 <= status <= 999. */
VaultHTTPMessageRef VAULT_NULLABLE VaultHTTPMessageCreateResponse(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFIndex status,
    VaultCFStringRef VAULT_NULLABLE description, VaultCFStringRef VAULT_NULLABLE version);

/* Makes a response that VaultHTTPMessageAppendBytes() fills; NULL for a request. */
VaultHTTPMessageRef VAULT_NULLABLE VaultHTTPMessageCreateEmpty(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, unsigned char is_request);

/*
 * Appends bytes as they were received: the status line and the fields; a body is ignored. False for
 * bytes that are not a response, for more than 1 MiB of fields, and for a request.
 */
unsigned char VaultHTTPMessageAppendBytes(
    VaultHTTPMessageRef VAULT_REQUIRED message, const uint8_t *VAULT_NULLABLE bytes,
    VaultCFIndex count);

/* Returns whether all fields of a message are there. */
unsigned char VaultHTTPMessageIsHeaderComplete(VaultHTTPMessageRef VAULT_REQUIRED message);

unsigned char VaultHTTPMessageIsRequest(VaultHTTPMessageRef VAULT_REQUIRED message);

/*
 * Copies the value of a field, whose name has any case; of several fields, the values with commas.
 *
 * The value of `Authorization` is that which was applied: it is a secret, which its last owner
 * wipes.
 */
VaultCFStringRef VAULT_NULLABLE VaultHTTPMessageCopyHeaderFieldValue(
    VaultHTTPMessageRef VAULT_REQUIRED message, VaultCFStringRef VAULT_REQUIRED name);

/* Sets a field in place of all of its name; NULL removes them. */
void VaultHTTPMessageSetHeaderFieldValue(
    VaultHTTPMessageRef VAULT_REQUIRED message, VaultCFStringRef VAULT_REQUIRED name,
    VaultCFStringRef VAULT_NULLABLE value);

/*
 * Copies all fields of a message, by their names; NULL until they are complete. Of several fields,
 * the values with commas. What was applied is a secret, as above.
 */
VaultCFDictionaryRef VAULT_NULLABLE VaultHTTPMessageCopyAllHeaderFields(
    VaultHTTPMessageRef VAULT_REQUIRED message);

/*
 * Sets the body; NULL removes it. A scheme that covers the body (Digest with `auth-int`) needs it
 * before credentials are applied.
 */
void VaultHTTPMessageSetBody(
    VaultHTTPMessageRef VAULT_REQUIRED message, VaultCFDataRef VAULT_NULLABLE body);

/* Copies the body that was set; NULL if none was: that of a response that was read is ignored. */
VaultCFDataRef VAULT_NULLABLE VaultHTTPMessageCopyBody(VaultHTTPMessageRef VAULT_REQUIRED message);

/*
 * Copies a message as it is sent: the first line, the fields, an empty line, the body. A request
 * gets a field Host if it has none. NULL until all fields are there, and for a text with a line
 * end.
 *
 * It has what was applied, a secret: it is wiped with its last owner.
 */
VaultCFDataRef VAULT_NULLABLE VaultHTTPMessageCopySerializedMessage(
    VaultHTTPMessageRef VAULT_REQUIRED message);

/* Returns the URL of a request; NULL for a response. */
VaultCFURLRef VAULT_NULLABLE VaultHTTPMessageCopyRequestURL(
    VaultHTTPMessageRef VAULT_REQUIRED message);

/* Returns the method of a request; NULL for a response. */
VaultCFStringRef VAULT_NULLABLE VaultHTTPMessageCopyRequestMethod(
    VaultHTTPMessageRef VAULT_REQUIRED message);

/* Returns the status of a response; 0 for a request. */
VaultCFIndex VaultHTTPMessageGetResponseStatusCode(VaultHTTPMessageRef VAULT_REQUIRED message);

/* ---- Streams ---- */

/*
 * Makes what stands here for the stream of a request: its response, which the client received.
 *
 * The response becomes that of the request, so that it tells what is authenticated; and the
 * authentication that was applied to the request learns whether the server accepted it.
 */
VaultReadStreamRef VAULT_NULLABLE VaultReadStreamCreateForHTTPRequest(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultHTTPMessageRef VAULT_REQUIRED request,
    VaultHTTPMessageRef VAULT_REQUIRED response);

/* Returns the response for "kCFStreamPropertyHTTPResponseHeader"; NULL for any other property. */
VaultCFTypeRef VAULT_NULLABLE VaultReadStreamCopyProperty(
    VaultReadStreamRef VAULT_REQUIRED stream, VaultCFStringRef VAULT_REQUIRED name);

/* ---- Authentications ---- */

VaultCFTypeID VaultHTTPAuthenticationGetTypeID(void);

/*
 * Makes an authentication of a server's 401 or a proxy's 407; NULL for anything but these of a
 * stream.
 *
 * Give it a 407 only if the request went through a proxy: a server that answers so to a direct
 * request is after the proxy's password.
 */
VaultHTTPAuthenticationRef VAULT_NULLABLE VaultHTTPAuthenticationCreateFromResponse(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultHTTPMessageRef VAULT_REQUIRED response);

/* Returns whether an authentication can be used; `error` receives why not, and may be NULL. */
unsigned char VaultHTTPAuthenticationIsValid(
    VaultHTTPAuthenticationRef VAULT_REQUIRED authentication,
    VaultStreamError *VAULT_NULLABLE error);

/* Returns whether the same credential applies to a request: by origin and path. */
unsigned char VaultHTTPAuthenticationAppliesToRequest(
    VaultHTTPAuthenticationRef VAULT_REQUIRED authentication,
    VaultHTTPMessageRef VAULT_REQUIRED request);

unsigned char VaultHTTPAuthenticationRequiresOrderedRequests(
    VaultHTTPAuthenticationRef VAULT_REQUIRED authentication);

/* Copies the realm, or the host if the server named none. */
VaultCFStringRef VAULT_NULLABLE VaultHTTPAuthenticationCopyRealm(
    VaultHTTPAuthenticationRef VAULT_REQUIRED authentication);

/* Copies the URLs below which the credential applies. */
VaultCFArrayRef VAULT_NULLABLE VaultHTTPAuthenticationCopyDomains(
    VaultHTTPAuthenticationRef VAULT_REQUIRED authentication);

/* Copies the scheme, such as "Basic"; NULL if no challenge could be read. */
VaultCFStringRef VAULT_NULLABLE VaultHTTPAuthenticationCopyMethod(
    VaultHTTPAuthenticationRef VAULT_REQUIRED authentication);

unsigned char VaultHTTPAuthenticationRequiresUserNameAndPassword(
    VaultHTTPAuthenticationRef VAULT_REQUIRED authentication);

unsigned char VaultHTTPAuthenticationRequiresAccountDomain(
    VaultHTTPAuthenticationRef VAULT_REQUIRED authentication);

/*
 * Applies a user and a password to a request: it then has the field that answers the challenge.
 * False if the scheme cannot carry them, or the request is for another server; `error` receives
 * why, and may be NULL.
 */
unsigned char VaultHTTPMessageApplyCredentials(
    VaultHTTPMessageRef VAULT_REQUIRED request,
    VaultHTTPAuthenticationRef VAULT_REQUIRED authentication, VaultCFStringRef VAULT_REQUIRED user,
    VaultCFStringRef VAULT_REQUIRED password, VaultStreamError *VAULT_NULLABLE error);

/*
 * Does the same with the values of "kCFHTTPAuthenticationUsername" and
 * "kCFHTTPAuthenticationPassword" in a dictionary.
 */
unsigned char VaultHTTPMessageApplyCredentialDictionary(
    VaultHTTPMessageRef VAULT_REQUIRED request,
    VaultHTTPAuthenticationRef VAULT_REQUIRED authentication,
    VaultCFDictionaryRef VAULT_REQUIRED credentials, VaultStreamError *VAULT_NULLABLE error);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
