/*
 * Trust in servers for programs that use OpenSSL, and for libcurl with OpenSSL.
 *
 * The library itself needs no libssl: the function here is compiled into the program, which links
 * libssl and libcrypto.
 */
#ifndef VAULT_OPENSSL_H
#define VAULT_OPENSSL_H

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <stdlib.h>

#include "vault_tls.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The arguments of vault_trust_evaluate() for the servers of one SSL_CTX. */
typedef struct vault_openssl_trust {
  /* Whose decisions count; NULL for the policy alone. */
  vault_t *VAULT_NULLABLE vault;
  /* The server that is connected to. */
  const vault_attributes_t *VAULT_REQUIRED space;
  /* NULL for one like that of a browser. */
  vault_trust_policy_t *VAULT_NULLABLE policy;
  /*
   * The findings about the last server, which replace and free those before; freed by the program.
   * NULL before, and if it could not be evaluated: vault_last_error() then says why.
   */
  vault_trust_evaluation_t *VAULT_NULLABLE evaluation;
} vault_openssl_trust_t;

/* Encodes a certificate at the end of what is there; both are NULL or 0 if there is no memory. */
static inline void vault_openssl_append(
    unsigned char *VAULT_NULLABLE *VAULT_REQUIRED chain, size_t *VAULT_REQUIRED count,
    X509 *VAULT_REQUIRED certificate) {
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
 *     SSL_CTX_set_cert_verify_callback(context, vault_openssl_verify, &trust);
 *
 * trust: a vault_openssl_trust_t that lives as long as the SSL_CTX. It is for one server, and for
 *     one connection at a time.
 * Returns 1 if the server is trusted, else 0: OpenSSL's error is then
 * X509_V_ERR_APPLICATION_VERIFICATION. A resumed session is not verified again, so an SSL_CTX for
 * which a decision was removed has to be made anew.
 */
static inline int vault_openssl_verify(X509_STORE_CTX *VAULT_REQUIRED context, void *VAULT_REQUIRED trust) {
  vault_openssl_trust_t *const arguments = (vault_openssl_trust_t *)trust;
  STACK_OF(X509) *const others = X509_STORE_CTX_get0_untrusted(context);
  X509 *const leaf = X509_STORE_CTX_get0_cert(context);
  vault_trust_verdict_t verdict = VAULT_TRUST_FATAL;
  unsigned char *chain = NULL;
  size_t count = 0;
  (void)vault_trust_evaluation_free(arguments->evaluation);
  arguments->evaluation = NULL;
  if (leaf != NULL) vault_openssl_append(&chain, &count, leaf);
  for (int index = 0; chain != NULL && index < sk_X509_num(others); index += 1) {
    X509 *const other = sk_X509_value(others, index);
    if (other != leaf) vault_openssl_append(&chain, &count, other);
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

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
