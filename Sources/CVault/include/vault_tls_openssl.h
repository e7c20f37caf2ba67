/*
 * Identities of a vault and trust in servers for OpenSSL, and for libcurl with OpenSSL. The
 * functions are compiled into the program that includes this file, and use its libssl and
 * libcrypto; the library links no libssl.
 */
#ifndef VAULT_TLS_OPENSSL_H
#define VAULT_TLS_OPENSSL_H

#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/store.h>
#include <openssl/ui.h>
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
   * VAULT_AMBIGUOUS for example, the handshake fails; so it does with VAULT_UNSUPPORTED for a key in
   * a token that OpenSSL does not open.
   */
  vault_status_t status;
} vault_tls_openssl_t;

/* Chooses an identity for what the server of a handshake accepts. */
static inline vault_status_t vault_tls_openssl_choose(
    SSL *ssl, const vault_tls_openssl_t *choice, vault_item_t **item) {
  const STACK_OF(X509_NAME) *const names = SSL_get0_peer_CA_list(ssl);
  const int name_count = names == NULL ? 0 : sk_X509_NAME_num(names);
  const int scheme_count = SSL_get_sigalgs(ssl, -1, NULL, NULL, NULL, NULL, NULL);
  /* With casts, so that C++ also takes them. */
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

/* Answers a token's question for its PIN, which is the user data; without one, nobody is asked. */
static inline int vault_tls_openssl_answer(UI *ui, UI_STRING *question) {
  const char *const pin = (const char *)UI_get0_user_data(ui);
  const enum UI_string_types type = UI_get_string_type(question);
  if (type != UIT_PROMPT && type != UIT_VERIFY) return 1;
  return pin != NULL && UI_set_result(ui, question, pin) == 0;
}

/*
 * Opens a key in a token: by a provider that knows `pkcs11:`, else by the engine `pkcs11`. NULL if
 * neither is installed, or the token does not open the key.
 *
 * pin: the token's PIN, or NULL. It is not part of the URI, which the engine writes to standard
 *     error if the token does not have the key.
 */
static inline EVP_PKEY *vault_tls_openssl_token_key(const char *uri, char *pin) {
  EVP_PKEY *key = NULL;
  UI_METHOD *const method = UI_create_method("PIN");
  if (method == NULL || UI_method_set_reader(method, vault_tls_openssl_answer) != 0) {
    UI_destroy_method(method);
    return NULL;
  }
  OSSL_STORE_CTX *const store = OSSL_STORE_open(uri, method, pin, NULL, NULL);
  while (store != NULL && key == NULL && OSSL_STORE_eof(store) == 0) {
    OSSL_STORE_INFO *const info = OSSL_STORE_load(store);
    if (info != NULL) key = OSSL_STORE_INFO_get1_PKEY(info);
    OSSL_STORE_INFO_free(info);
    if (info == NULL && OSSL_STORE_error(store) != 0) break;
  }
  OSSL_STORE_close(store);
#if !defined(OPENSSL_NO_ENGINE)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  /* The engine stays: its keys need it. */
  ENGINE *const engine = key == NULL ? ENGINE_by_id("pkcs11") : NULL;
  if (engine != NULL && ENGINE_init(engine) == 1) {
    key = ENGINE_load_private_key(engine, uri, method, pin);
  }
#pragma GCC diagnostic pop
#endif
  UI_destroy_method(method);
  ERR_clear_error();
  return key;
}

/* Presents certificates in a handshake: the leaf, and its chain. */
static inline vault_status_t vault_tls_openssl_use(
    SSL *ssl, const vault_buffer_t *certificates, EVP_PKEY *key) {
  const unsigned char *at = (const unsigned char *)certificates->bytes;
  const unsigned char *const end = at + certificates->count;
  X509 *const leaf = d2i_X509(NULL, &at, (long)(end - at));
  STACK_OF(X509) *const chain = sk_X509_new_null();
  while (leaf != NULL && chain != NULL && at < end) {
    X509 *const issuer = d2i_X509(NULL, &at, (long)(end - at));
    if (issuer == NULL || sk_X509_push(chain, issuer) == 0) {
      X509_free(issuer);
      break;
    }
  }
  vault_status_t status = VAULT_UNSUPPORTED_ALGORITHM;
  if (leaf != NULL && key != NULL && chain != NULL &&
      SSL_use_cert_and_key(ssl, leaf, key, chain, 1) == 1) {
    status = VAULT_OK;
  }
  X509_free(leaf);
  sk_X509_pop_free(chain, X509_free);
  return status;
}

/* Presents an identity whose key is in a token; VAULT_UNSUPPORTED if OpenSSL does not open it. */
static inline vault_status_t vault_tls_openssl_present_reference(SSL *ssl, vault_item_t *item) {
  vault_buffer_t certificates = {NULL, 0}, uri = {NULL, 0}, pin = {NULL, 0};
  vault_status_t status = vault_identity_copy_reference(item, &uri, &pin);
  if (status == VAULT_OK) {
    status = vault_identity_copy_certificates(item, VAULT_IDENTITY_DER, &certificates);
  }
  if (status == VAULT_OK) {
    EVP_PKEY *const key =
        vault_tls_openssl_token_key(uri.bytes, pin.count > 0 ? pin.bytes : NULL);
    status =
        key == NULL ? VAULT_UNSUPPORTED : vault_tls_openssl_use(ssl, &certificates, key);
    EVP_PKEY_free(key);
  }
  vault_buffer_free(&pin);
  vault_buffer_free(&uri);
  vault_buffer_free(&certificates);
  return status;
}

/* Presents an identity in a handshake, with its chain. OpenSSL wipes its copy of the key. */
static inline vault_status_t vault_tls_openssl_present(SSL *ssl, vault_item_t *item) {
  vault_identity_t identity = {{NULL, 0}, {NULL, 0}};
  vault_status_t status = vault_identity_open(item, VAULT_IDENTITY_DER, &identity);
  if (status == VAULT_UNSUPPORTED) return vault_tls_openssl_present_reference(ssl, item);
  if (status != VAULT_OK) return status;
  const unsigned char *at = (const unsigned char *)identity.key.bytes;
  EVP_PKEY *const key = d2i_AutoPrivateKey(NULL, &at, (long)identity.key.count);
  status = vault_tls_openssl_use(ssl, &identity.certificates, key);
  vault_identity_free(&identity);
  EVP_PKEY_free(key);
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
   * The results for the last server, which replace and free those before; freed by the program.
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
