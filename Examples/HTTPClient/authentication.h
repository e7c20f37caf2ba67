#ifndef AUTHENTICATION_H
#define AUTHENTICATION_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#include "challenge.h"
#include "credentials.h"

/* Where a URL leads. */
struct address {
  char *scheme;
  char *host;
  /* 0 if the URL names none. */
  uint16_t port;
  char *path;
};

/* What one of the two that may ask who is calling, server and proxy, asked, and what it was answered. */
struct authentication {
  bool is_proxy;
  struct address address;
  struct challenge challenge;
  /* Whether the vault was asked for these credentials already. */
  bool was_looked_up;
  int answers;
  struct typed_credentials typed;
};

struct client {
  CURL *curl;
  /* Opened when it is needed first: a page that is open to all needs no vault. */
  vault_t *vault;
  struct authentication server;
  struct authentication proxy;
};

/* Finds the authentication that the last response asks for, and reads its challenge; NULL if it asks for none. */
struct authentication *find_authentication(struct client *client);

/* Applies credentials to the next request: those of the vault, or typed ones if these are refused or missing. */
bool answer_authentication(struct client *client, struct authentication *authentication);

/* Saves credentials that were typed, if the last response shows that they were right. */
void save_credentials(struct client *client, struct authentication *authentication);

/* Says on the standard error what went wrong; false. */
bool fail(const char *subject, const char *reason);

#endif
