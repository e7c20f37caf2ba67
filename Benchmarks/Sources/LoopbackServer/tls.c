#include "tls_server.h"

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <string.h>
#include <unistd.h>

#include "apart.h"

static const char page[] =
    "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\na page\n";

static SSL_CTX *settings;

static int take(const char *certificates, const char *key, const char *anchor) {
  BIO *text = BIO_new_mem_buf(certificates, -1);
  X509 *certificate = PEM_read_bio_X509(text, NULL, NULL, NULL);
  settings = SSL_CTX_new(TLS_server_method());
  if (!settings || SSL_CTX_use_certificate(settings, certificate) != 1) return -1;
  while ((certificate = PEM_read_bio_X509(text, NULL, NULL, NULL)) != NULL) {
    if (SSL_CTX_add_extra_chain_cert(settings, certificate) != 1) return -1;
  }
  EVP_PKEY *private = PEM_read_bio_PrivateKey(BIO_new_mem_buf(key, -1), NULL, NULL, NULL);
  certificate = PEM_read_bio_X509(BIO_new_mem_buf(anchor, -1), NULL, NULL, NULL);
  if (SSL_CTX_use_PrivateKey(settings, private) != 1 || !certificate) return -1;
  X509_STORE_add_cert(SSL_CTX_get_cert_store(settings), certificate);
  SSL_CTX_add_client_CA(settings, certificate);
  SSL_CTX_set_verify(settings, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
  SSL_CTX_set_options(settings, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(settings, 0);
  SSL_CTX_set_session_cache_mode(settings, SSL_SESS_CACHE_OFF);
  return 0;
}

static void serve(int client) {
  SSL *connection = SSL_new(settings);
  char request[8192];
  size_t length = 0;
  SSL_set_fd(connection, client);
  if (SSL_accept(connection) == 1) {
    while (length < sizeof request) {
      int count = SSL_read(connection, request + length, (int)(sizeof request - length));
      if (count <= 0) break;
      length += (size_t)count;
      if (length < 4 || memcmp(request + length - 4, "\r\n\r\n", 4) != 0) continue;
      SSL_write(connection, page, sizeof page - 1);
      SSL_shutdown(connection);
      break;
    }
  }
  SSL_free(connection);
  close(client);
}

uint16_t tls_server_start(const char *certificates, const char *key, const char *anchor) {
  return take(certificates, key, anchor) == 0 ? serve_apart(serve) : 0;
}
