#ifndef AUTHENTICATION_H
#define AUTHENTICATION_H

#include <curl/curl.h>
#include <stdbool.h>
#include <vault_http.h>

/* Where a URL leads. */
struct address {
  char *url;
  char *host;
  bool is_https;
};

struct client {
  CURL *curl;
  /* Its `url` is NULL if there is none. */
  struct address proxy;
  /* Opened when it is needed first: a page that is open to all needs no vault. */
  vault_t *vault;
  vault_http_authenticator_t *authenticator;
};

/*
 * Sends a request, and sends it again with what its server and its proxy ask for, until they have it or nobody has it.
 *
 * True if there is a response for the caller, whatever its status; false after an error was told.
 */
bool send_request(struct client *client, const struct address *address);

/* Says on the standard error what went wrong; false. */
bool fail(const char *subject, const char *reason);

#endif
