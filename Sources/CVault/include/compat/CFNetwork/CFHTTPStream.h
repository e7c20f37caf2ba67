/*
 * Apple's names for vault_http_stream.h, which uses the program's libcurl: this file alone, and not
 * CFNetwork.h, has them.
 */
#ifndef VAULT_COMPAT_CFHTTPSTREAM_H
#define VAULT_COMPAT_CFHTTPSTREAM_H

#include "CFNetwork.h"

#if !defined(VAULT_FOREIGN_COREFOUNDATION)

#include "../../vault_http_stream.h"

/* ---- Constants ---- */

typedef VaultCFIndex CFStreamStatus;

enum {
  kCFStreamStatusNotOpen = kVaultStreamStatusNotOpen,
  kCFStreamStatusOpening = kVaultStreamStatusOpening,
  kCFStreamStatusOpen = kVaultStreamStatusOpen,
  kCFStreamStatusReading = kVaultStreamStatusReading,
  kCFStreamStatusAtEnd = kVaultStreamStatusAtEnd,
  kCFStreamStatusClosed = kVaultStreamStatusClosed,
  kCFStreamStatusError = kVaultStreamStatusError,
};

enum {
  kCFStreamErrorDomainPOSIX = kVaultStreamErrorDomainPOSIX,
  kCFStreamErrorDomainSSL = kVaultStreamErrorDomainSSL,
  kCFStreamErrorDomainNetDB = kVaultStreamErrorDomainNetDB,
};

enum {
  kCFStreamErrorHTTPRedirectionLoop = kVaultStreamErrorHTTPRedirectionLoop,
  kCFStreamErrorHTTPBadURL = kVaultStreamErrorHTTPBadURL,
};

#define kCFStreamPropertyHTTPFinalURL VAULT_CFSTR("kCFStreamPropertyHTTPFinalURL")
#define kCFStreamPropertyHTTPShouldAutoredirect \
  VAULT_CFSTR("kCFStreamPropertyHTTPShouldAutoredirect")

/* ---- Functions ---- */

#define CFReadStreamCreateForHTTPRequest VaultHTTPStreamCreateForHTTPRequest
#define CFReadStreamCreateForStreamedHTTPRequest VaultHTTPStreamCreateForStreamedHTTPRequest
#define CFReadStreamCreateWithBytesNoCopy VaultHTTPStreamCreateWithBytesNoCopy
#define CFReadStreamOpen VaultHTTPStreamOpen
#define CFReadStreamClose VaultHTTPStreamClose
#define CFReadStreamRead VaultHTTPStreamRead
#define CFReadStreamHasBytesAvailable VaultHTTPStreamHasBytesAvailable
#define CFReadStreamGetStatus VaultHTTPStreamGetStatus
#define CFReadStreamGetError VaultHTTPStreamGetError
#define CFReadStreamSetProperty VaultHTTPStreamSetProperty
#undef CFReadStreamCopyProperty
#define CFReadStreamCopyProperty VaultHTTPStreamCopyProperty

#endif

#endif
