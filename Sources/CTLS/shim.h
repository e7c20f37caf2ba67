#ifndef VAULT_CTLS_SHIM_H
#define VAULT_CTLS_SHIM_H

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

// A macro in OpenSSL, which Swift does not import.
static inline long vault_tls_set_host(SSL *connection, const char *name) {
  return SSL_set_tlsext_host_name(connection, name);
}

#endif
