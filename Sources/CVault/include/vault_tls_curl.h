/*
 * Identities of a vault for libcurl. The functions are compiled into the program that includes this
 * file, and use its libcurl, 7.77 or later with OpenSSL; the library links none.
 */
#ifndef VAULT_TLS_CURL_H
#define VAULT_TLS_CURL_H

#include <curl/curl.h>
#include <string.h>

#include "vault_tls.h"

/* The identity of a transfer. The caller owns it, and sets it to zeros before its first use. */
typedef struct vault_tls_curl {
  vault_identity_t identity;
} vault_tls_curl_t;

/*
 * Returns whether libcurl takes certificates and keys from memory. With GnuTLS it answers CURLE_OK
 * to the options, and then presents nothing.
 */
static inline bool vault_tls_curl_takes_blobs(void) {
  const curl_version_info_data *const version = curl_version_info(CURLVERSION_NOW);
  const char *const name = version->ssl_version == NULL ? "" : version->ssl_version;
  static const char *const known[] = {"OpenSSL/", "LibreSSL/", "BoringSSL", "AWS-LC", "quictls/"};
  for (size_t index = 0; index < sizeof known / sizeof *known; index += 1) {
    if (strncmp(name, known[index], strlen(known[index])) == 0) return true;
  }
  return false;
}

/* Takes the identity from a handle of libcurl and wipes it; after the transfer. */
static inline void vault_tls_curl_clear(CURL *curl, vault_tls_curl_t *use) {
  curl_easy_setopt(curl, CURLOPT_SSLCERT_BLOB, NULL);
  curl_easy_setopt(curl, CURLOPT_SSLKEY_BLOB, NULL);
  curl_easy_setopt(curl, CURLOPT_SSLKEY, NULL);
  curl_easy_setopt(curl, CURLOPT_KEYPASSWD, NULL);
  vault_identity_free(&use->identity);
}

/* Sets an identity whose key is in a token. */
static inline vault_status_t vault_tls_curl_use_reference(
    CURL *curl, vault_item_t *item, vault_identity_t *identity) {
  vault_buffer_t uri = {NULL, 0};
  vault_status_t status = vault_identity_copy_reference(item, &uri, &identity->key);
  if (status == VAULT_OK) {
    status = vault_identity_copy_certificates(item, VAULT_IDENTITY_PEM, &identity->certificates);
  }
  struct curl_blob certificates = {
    identity->certificates.bytes, identity->certificates.count, CURL_BLOB_COPY};
  if (status == VAULT_OK && curl_easy_setopt(curl, CURLOPT_SSLENGINE, "pkcs11") != CURLE_OK) {
    status = VAULT_UNSUPPORTED;
  }
  /* The PIN apart from the URI, which the engine writes to standard error if it has no such key. */
  if (status == VAULT_OK &&
      (curl_easy_setopt(curl, CURLOPT_SSLCERT_BLOB, &certificates) != CURLE_OK ||
       curl_easy_setopt(curl, CURLOPT_SSLCERTTYPE, "PEM") != CURLE_OK ||
       curl_easy_setopt(curl, CURLOPT_SSLKEY, uri.bytes) != CURLE_OK ||
       curl_easy_setopt(curl, CURLOPT_SSLKEYTYPE, "ENG") != CURLE_OK ||
       curl_easy_setopt(
           curl, CURLOPT_KEYPASSWD, identity->key.count > 0 ? identity->key.bytes : NULL) !=
           CURLE_OK ||
       curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L) != CURLE_OK)) {
    status = VAULT_OUT_OF_MEMORY;
  }
  vault_buffer_free(&uri);
  return status;
}

/*
 * Sets the identity of the next transfer of a handle to that which the vault chooses for a URL, and
 * to none if it has none. What a server accepts is not known then, so an identity has to be the
 * URL's only one, its default or a preferred one.
 *
 * A redirect would carry the identity to another server. So it is not followed: ask for
 * CURLINFO_REDIRECT_URL, and call this function with that URL. libcurl uses no connection of one
 * identity for another one. The identity stays in memory until vault_tls_curl_clear().
 *
 * A key in a token needs the engine `pkcs11` (Debian: libengine-pkcs11-openssl). libcurl then keeps a
 * copy of its PIN, if the vault has it, in memory that is not wiped.
 *
 * Returns VAULT_OK, or VAULT_ITEM_NOT_FOUND if there is no identity: then the transfer can go on
 * without. Fails with VAULT_UNSUPPORTED if libcurl ignores the options or has no such engine,
 * and as vault_identity_choose() and vault_identity_open() do.
 */
static inline vault_status_t vault_tls_curl_use(
    CURL *curl, vault_t *vault, const char *url, vault_tls_curl_t *use) {
  vault_item_t *item = NULL;
  vault_tls_curl_clear(curl, use);
  vault_status_t status =
      vault_identity_choose(vault, url, strlen(url), NULL, 0, NULL, 0, &item);
  if (status != VAULT_OK) return status;
  if (!vault_tls_curl_takes_blobs()) {
    vault_item_release(item);
    return VAULT_UNSUPPORTED;
  }
  status = vault_identity_open(item, VAULT_IDENTITY_PEM_AND_DER, &use->identity);
  const bool is_reference = status == VAULT_UNSUPPORTED;
  if (is_reference) status = vault_tls_curl_use_reference(curl, item, &use->identity);
  vault_item_release(item);
  if (status != VAULT_OK) vault_tls_curl_clear(curl, use);
  if (status != VAULT_OK || is_reference) return status;
  /* Certificates are not secret; libcurl copies them to compare connections by them. */
  struct curl_blob certificates = {
    use->identity.certificates.bytes, use->identity.certificates.count, CURL_BLOB_COPY};
  /* No copy of the key is left behind in memory that is not wiped. */
  struct curl_blob key = {use->identity.key.bytes, use->identity.key.count, CURL_BLOB_NOCOPY};
  if (curl_easy_setopt(curl, CURLOPT_SSLCERT_BLOB, &certificates) != CURLE_OK ||
      curl_easy_setopt(curl, CURLOPT_SSLCERTTYPE, "PEM") != CURLE_OK ||
      curl_easy_setopt(curl, CURLOPT_SSLKEY_BLOB, &key) != CURLE_OK ||
      curl_easy_setopt(curl, CURLOPT_SSLKEYTYPE, "DER") != CURLE_OK ||
      curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L) != CURLE_OK) {
    vault_tls_curl_clear(curl, use);
    return VAULT_OUT_OF_MEMORY;
  }
  return VAULT_OK;
}

/*
 * Sets the anchors of a transfer in place of the system's, and the pins of the server's key.
 *
 * anchors: certificates as PEM, which libcurl copies; no bytes for the system's anchors.
 * pins: `sha256//…` in the form of CURLOPT_PINNEDPUBLICKEY; NULL for none.
 * Fails with VAULT_UNSUPPORTED if libcurl ignores anchors from memory.
 */
static inline vault_status_t vault_tls_curl_trust(
    CURL *curl, const char *anchors, size_t count, const char *pins) {
  if (count > 0 && !vault_tls_curl_takes_blobs()) return VAULT_UNSUPPORTED;
  struct curl_blob blob = {(void *)anchors, count, CURL_BLOB_COPY};
  if (curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, count > 0 ? &blob : NULL) != CURLE_OK ||
      curl_easy_setopt(curl, CURLOPT_PINNEDPUBLICKEY, pins) != CURLE_OK) {
    return VAULT_UNSUPPORTED;
  }
  return VAULT_OK;
}

#endif
