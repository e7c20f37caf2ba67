#ifndef VAULT_CTLS_SHIM_H
#define VAULT_CTLS_SHIM_H

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

// A macro in OpenSSL, which Swift does not import.
static inline long vault_tls_set_host(SSL *connection, const char *name) {
  return SSL_set_tlsext_host_name(connection, name);
}

// The newest version of TLS that connections of a context may have; 0 for any.
static inline long vault_tls_newest_version(SSL_CTX *context) {
  return SSL_CTX_get_max_proto_version(context);
}

// The names of the authorities that the server accepts, one after the other; the list's macros are
// not imported. NULL after the last.
static inline const X509_NAME *vault_tls_authority(const SSL *connection, int index) {
  const STACK_OF(X509_NAME) *names = SSL_get0_peer_CA_list(connection);
  return index < sk_X509_NAME_num(names) ? sk_X509_NAME_value(names, index) : NULL;
}

// A certificate that the peer sent after its own; NULL after the last.
static inline X509 *vault_tls_sent(X509_STORE_CTX *context, int index) {
  STACK_OF(X509) *sent = X509_STORE_CTX_get0_untrusted(context);
  return index < sk_X509_num(sent) ? sk_X509_value(sent, index) : NULL;
}

static inline STACK_OF(X509) *vault_tls_stack(void) { return sk_X509_new_null(); }

// Takes a reference to the certificate, which the stack gives back; whether it has.
static inline int vault_tls_push(STACK_OF(X509) *stack, X509 *certificate) {
  if (X509_up_ref(certificate) != 1) return 0;
  if (sk_X509_push(stack, certificate) > 0) return 1;
  X509_free(certificate);
  return 0;
}

static inline void vault_tls_free_stack(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

#endif
