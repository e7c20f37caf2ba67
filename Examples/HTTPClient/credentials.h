#ifndef CREDENTIALS_H
#define CREDENTIALS_H

#include <vault.h>

/* Where credentials are valid: who asks, and for what. */
struct space {
  /* "http" or "https"; for a proxy "http-proxy" or "https-proxy". */
  const char *protocol;
  const char *host;
  /* 0 for the default one of the protocol. */
  uint16_t port;
  /* What is requested there, percent-encoded; NULL for a proxy. */
  const char *path;
  const char *realm;
  /* "basic" or "digest". */
  const char *method;
};

/* Credentials that somebody typed, held by the vault's library until it is known whether they are right. */
struct typed_credentials {
  /* The item that they would be. */
  vault_attributes_t *item;
  /* What would change in an item that is there already. */
  vault_attributes_t *change;
};

/*
 * Finds the credentials for a space.
 *
 * Both buffers are ended by vault_buffer_free(), which wipes them. VAULT_ITEM_NOT_FOUND and VAULT_EXPIRED mean that
 * somebody has to be asked.
 */
vault_status_t credentials_find(
    vault_t *vault, const struct space *space, vault_buffer_t *account, vault_buffer_t *password);

/* Takes what was typed; the caller's copy can be wiped after this. Ended by credentials_forget(). */
vault_status_t credentials_hold(
    struct typed_credentials *typed, const struct space *space, const char *account, const char *password);

/* Saves what was typed, which the server has accepted. */
vault_status_t credentials_save(vault_t *vault, const struct typed_credentials *typed);

/* Wipes and frees what was typed, if there is anything. */
void credentials_forget(struct typed_credentials *typed);

#endif
