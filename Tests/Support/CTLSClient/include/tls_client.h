/*
 * Clients of libcurl and of OpenSSL that present identities of a vault by the library's headers; the
 * one of streams is in stream_client.h.
 */
#ifndef TLS_CLIENT_H
#define TLS_CLIENT_H

#include <stdint.h>

/* The outcome of a request. */
typedef struct tls_reply {
  /* The status of HTTP; 0 without a response. */
  int32_t status;
  /* The status of the vault: which identity was presented, or why none was. */
  int32_t vault_status;
  /* The connections that were made for it, with libcurl. */
  int32_t connections;
  /* The target of a redirect, which is not followed. */
  char location[512];
  char error[512];
} tls_reply_t;

/* A handle of libcurl that trusts the certificates of a PEM file; NULL if there is none. */
void *tls_curl_create(const char *anchors);
void tls_curl_free(void *client);

/* Sends a request with TLS of a version (12 or 13) and the identity that the vault chooses. */
tls_reply_t tls_curl_get(void *client, const void *vault, const char *url, int version);

/* The same by a request of vault_transport.h, which follows so many redirects. */
tls_reply_t tls_transport_get(
    const char *anchors, const void *vault, const char *url, int version, int redirects);

/* The same by OpenSSL's certificate callback, on a connection of its own. */
tls_reply_t tls_openssl_get(
    const char *anchors, const void *vault, const char *url, const char *authority,
    const char *path, int version);

#endif
