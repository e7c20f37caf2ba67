/*
 * Identities of a vault and trust in servers for OpenSSL, and for libcurl with OpenSSL. The
 * functions are compiled into the program that includes this file, and use its libssl and
 * libcrypto; the library links no libssl.
 */
#ifndef VAULT_TLS_OPENSSL_H
#define VAULT_TLS_OPENSSL_H

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <stdlib.h>

#include "vault_tls.h"

/* ---- Identities ---- */

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

/* ---- Trust ---- */

/* The arguments of vault_trust_evaluate() for the servers of one SSL_CTX. */
typedef struct vault_tls_openssl_trust {
  /* Whose decisions count; NULL for the policy alone. */
  vault_t *vault;
  /* The server that is connected to. */
  const vault_attributes_t *space;
  /* NULL for one like that of a browser. */
  vault_trust_policy_t *policy;
  /*
   * The findings about the last server, which replace and free those before; freed by the program.
   * NULL before, and if it could not be evaluated: vault_last_error() then says why.
   */
  vault_trust_evaluation_t *evaluation;
} vault_tls_openssl_trust_t;

/* Encodes a certificate at the end of what is there; both are NULL or 0 if there is no memory. */
static inline void vault_tls_openssl_append(
    unsigned char **chain, size_t *count, X509 *certificate) {
  const int length = i2d_X509(certificate, NULL);
  unsigned char *all = NULL;
  if (length > 0) all = (unsigned char *)realloc(*chain, *count + (size_t)length);
  if (all == NULL) {
    free(*chain);
    *chain = NULL;
    *count = 0;
    return;
  }
  unsigned char *end = all + *count;
  *chain = all;
  *count += (size_t)i2d_X509(certificate, &end);
}

/*
 * Verifies a server's certificates, in place of OpenSSL's own verification:
 *
 *     SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
 *     SSL_CTX_set_cert_verify_callback(context, vault_tls_openssl_verify, &trust);
 *
 * trust: a vault_tls_openssl_trust_t that lives as long as the SSL_CTX. It is for one server, and
 *     for one connection at a time.
 * Returns 1 if the server is trusted, else 0: OpenSSL's error is then
 * X509_V_ERR_APPLICATION_VERIFICATION. A resumed session is not verified again, so an SSL_CTX for
 * which a decision was removed has to be made anew.
 */
static inline int vault_tls_openssl_verify(X509_STORE_CTX *context, void *trust) {
  vault_tls_openssl_trust_t *const arguments = (vault_tls_openssl_trust_t *)trust;
  STACK_OF(X509) *const others = X509_STORE_CTX_get0_untrusted(context);
  X509 *const leaf = X509_STORE_CTX_get0_cert(context);
  vault_trust_verdict_t verdict = VAULT_TRUST_FATAL;
  unsigned char *chain = NULL;
  size_t count = 0;
  (void)vault_trust_evaluation_free(arguments->evaluation);
  arguments->evaluation = NULL;
  if (leaf != NULL) vault_tls_openssl_append(&chain, &count, leaf);
  for (int index = 0; chain != NULL && index < sk_X509_num(others); index += 1) {
    X509 *const other = sk_X509_value(others, index);
    if (other != leaf) vault_tls_openssl_append(&chain, &count, other);
  }
  if (chain != NULL &&
      vault_trust_evaluate(
          arguments->vault, arguments->space, arguments->policy, chain, count, 0,
          &arguments->evaluation) == VAULT_OK &&
      vault_trust_evaluation_get_verdict(arguments->evaluation, &verdict) != VAULT_OK) {
    verdict = VAULT_TRUST_FATAL;
  }
  free(chain);
  if (verdict == VAULT_TRUST_UNSPECIFIED || verdict == VAULT_TRUST_PROCEED) {
    X509_STORE_CTX_set_error(context, X509_V_OK);
    return 1;
  }
  X509_STORE_CTX_set_error(context, X509_V_ERR_APPLICATION_VERIFICATION);
  return 0;
}

#endif
