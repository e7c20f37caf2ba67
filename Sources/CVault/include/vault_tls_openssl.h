/*
 * Identities of a vault for OpenSSL. The functions are compiled into the program that includes this
 * file, and use its libssl; the library links none.
 */
#ifndef VAULT_TLS_OPENSSL_H
#define VAULT_TLS_OPENSSL_H

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>

#include "vault_tls.h"

/* How a connection gets its identity. The caller owns it; it outlives the connections. */
typedef struct vault_tls_openssl {
  vault_t *vault;
  /* The URL of the request, as for vault_identity_choose(). */
  const char *url;
  size_t url_count;
  /*
   * Receives the status of the choice: VAULT_OK if an identity was presented, VAULT_ITEM_NOT_FOUND
   * if the server was told that there is none. Of a choice that is not made, VAULT_LOCKED or
   * VAULT_AMBIGUOUS for example, the handshake fails.
   */
  vault_status_t status;
} vault_tls_openssl_t;

/* Chooses an identity for what the server of a handshake accepts. */
static inline vault_status_t vault_tls_openssl_choose(
    SSL *ssl, const vault_tls_openssl_t *choice, vault_item_t **item) {
  const STACK_OF(X509_NAME) *const names = SSL_get0_peer_CA_list(ssl);
  const int name_count = names == NULL ? 0 : sk_X509_NAME_num(names);
  const int scheme_count = SSL_get_sigalgs(ssl, -1, NULL, NULL, NULL, NULL, NULL);
  /* With casts, so that C++ takes them, too. */
  vault_bytes_t *const issuers =
      (vault_bytes_t *)calloc((size_t)name_count + 1, sizeof *issuers);
  uint16_t *const schemes =
      (uint16_t *)calloc((size_t)(scheme_count < 0 ? 0 : scheme_count) + 1, sizeof *schemes);
  vault_status_t status = VAULT_OUT_OF_MEMORY;
  if (issuers != NULL && schemes != NULL) {
    int issuer_count = 0, known_count = 0;
    for (int index = 0; index < name_count; index += 1) {
      const unsigned char *der = NULL;
      size_t count = 0;
      if (X509_NAME_get0_der(sk_X509_NAME_value(names, index), &der, &count) != 1) continue;
      issuers[issuer_count].bytes = der;
      issuers[issuer_count].count = count;
      issuer_count += 1;
    }
    for (int index = 0; index < scheme_count; index += 1) {
      unsigned char low = 0, high = 0;
      if (SSL_get_sigalgs(ssl, index, NULL, NULL, NULL, &low, &high) == 0) continue;
      schemes[known_count] = (uint16_t)(high << 8 | low);
      known_count += 1;
    }
    status = vault_identity_choose(
        choice->vault, choice->url, choice->url_count, issuers, (size_t)issuer_count, schemes,
        (size_t)known_count, item);
  }
  free(issuers);
  free(schemes);
  return status;
}

/* Presents an identity in a handshake, with its chain. OpenSSL wipes its copy of the key. */
static inline vault_status_t vault_tls_openssl_present(SSL *ssl, vault_item_t *item) {
  vault_identity_t identity = {{NULL, 0}, {NULL, 0}};
  vault_status_t status = vault_identity_open(item, VAULT_IDENTITY_DER, &identity);
  if (status != VAULT_OK) return status;
  const unsigned char *at = (const unsigned char *)identity.certificates.bytes;
  const unsigned char *const end = at + identity.certificates.count;
  X509 *const leaf = d2i_X509(NULL, &at, (long)(end - at));
  STACK_OF(X509) *const chain = sk_X509_new_null();
  while (leaf != NULL && chain != NULL && at < end) {
    X509 *const issuer = d2i_X509(NULL, &at, (long)(end - at));
    if (issuer == NULL || sk_X509_push(chain, issuer) == 0) {
      X509_free(issuer);
      break;
    }
  }
  at = (const unsigned char *)identity.key.bytes;
  EVP_PKEY *const key = d2i_AutoPrivateKey(NULL, &at, (long)identity.key.count);
  vault_identity_free(&identity);
  status = VAULT_UNSUPPORTED_ALGORITHM;
  if (leaf != NULL && key != NULL && chain != NULL &&
      SSL_use_cert_and_key(ssl, leaf, key, chain, 1) == 1) {
    status = VAULT_OK;
  }
  X509_free(leaf);
  EVP_PKEY_free(key);
  sk_X509_pop_free(chain, X509_free);
  return status;
}

/*
 * A certificate callback: SSL_set_cert_cb(ssl, vault_tls_openssl_callback, &choice), with a
 * vault_tls_openssl_t. It is called when the server asks for a certificate, and again for another
 * connection, so a renewed identity is used without a restart.
 *
 * It looks into the vault, which may wait for its file's lock. Nobody is asked for anything.
 */
static inline int vault_tls_openssl_callback(SSL *ssl, void *context) {
  vault_tls_openssl_t *const choice = (vault_tls_openssl_t *)context;
  vault_item_t *item = NULL;
  choice->status = vault_tls_openssl_choose(ssl, choice, &item);
  if (choice->status == VAULT_OK) {
    choice->status = vault_tls_openssl_present(ssl, item);
    vault_item_release(item);
  }
  /* Without a certificate the handshake goes on: the server decides. */
  return choice->status == VAULT_OK || choice->status == VAULT_ITEM_NOT_FOUND;
}

#endif
