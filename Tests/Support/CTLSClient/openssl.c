#include <stdio.h>
#include <string.h>

#include <vault_tls_openssl.h>

#include "tls_client.h"

/* Sends the request and reads the beginning of the response. */
static void exchange(BIO *connection, const char *authority, const char *path, tls_reply_t *reply) {
  char text[1024];
  BIO_printf(connection, "GET %s HTTP/1.0\r\nHost: %s\r\n\r\n", path, authority);
  (void)BIO_flush(connection);
  int count = 0;
  while (count < (int)sizeof text - 1) {
    const int got = BIO_read(connection, text + count, (int)sizeof text - 1 - count);
    if (got <= 0) break;
    count += got;
  }
  text[count] = 0;
  if (sscanf(text, "HTTP/1.1 %d", &reply->status) != 1) reply->status = 0;
}

tls_reply_t tls_openssl_get(
    const char *anchors, const void *vault, const char *url, const char *authority,
    const char *path, int version) {
  tls_reply_t reply = {0};
  vault_tls_openssl_t choice = {(vault_t *)(uintptr_t)vault, url, strlen(url), VAULT_OK};
  SSL_CTX *const context = SSL_CTX_new(TLS_client_method());
  const int number = version == 12 ? TLS1_2_VERSION : TLS1_3_VERSION;
  BIO *connection = NULL;
  SSL *ssl = NULL;
  ERR_clear_error();
  if (context != NULL && SSL_CTX_load_verify_locations(context, anchors, NULL) == 1 &&
      SSL_CTX_set_min_proto_version(context, number) == 1 &&
      SSL_CTX_set_max_proto_version(context, number) == 1) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    connection = BIO_new_ssl_connect(context);
  }
  if (connection != NULL) BIO_get_ssl(connection, &ssl);
  if (ssl != NULL) {
    SSL_set_cert_cb(ssl, vault_tls_openssl_callback, &choice);
    BIO_set_conn_hostname(connection, authority);
    if (BIO_do_handshake(connection) == 1) exchange(connection, authority, path, &reply);
  }
  reply.vault_status = (int32_t)choice.status;
  ERR_error_string_n(ERR_peek_last_error(), reply.error, sizeof reply.error);
  ERR_clear_error();
  BIO_free_all(connection);
  SSL_CTX_free(context);
  return reply;
}
