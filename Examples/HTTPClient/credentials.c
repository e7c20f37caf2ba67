#include "credentials.h"

#include <string.h>

static vault_status_t set_text(
    vault_attributes_t *attributes, vault_attribute_t attribute, const char *text) {
  return vault_attributes_set_text(attributes, attribute, text, strlen(text));
}

/* Names what a space is made of. To be ended by vault_attributes_free(), also after a failure. */
static vault_status_t describe(const struct space *space, vault_attributes_t **attributes) {
  vault_status_t status = vault_attributes_create(attributes);
  if (status == VAULT_OK) status = set_text(*attributes, VAULT_PROTOCOL, space->protocol);
  if (status == VAULT_OK) status = set_text(*attributes, VAULT_SERVER, space->host);
  if (status == VAULT_OK && space->port != 0) {
    status = vault_attributes_set_number(*attributes, VAULT_PORT, space->port);
  }
  if (status == VAULT_OK && space->path != NULL) {
    /* Items that are for another path are not found. */
    status = vault_attributes_set_request_path(*attributes, space->path, strlen(space->path));
  }
  if (status == VAULT_OK) status = set_text(*attributes, VAULT_REALM, space->realm);
  if (status == VAULT_OK) {
    status = set_text(*attributes, VAULT_AUTHENTICATION_METHOD, space->method);
  }
  return status;
}

vault_status_t credentials_find(
    vault_t *vault, const struct space *space, vault_buffer_t *account, vault_buffer_t *password) {
  vault_attributes_t *query = NULL;
  vault_item_t *item = NULL;
  vault_status_t status = describe(space, &query);
  if (status == VAULT_OK) {
    /* Somebody may have chosen one of several users; else the best match is taken. */
    status = vault_get_default_credential(vault, query, &item);
    if (status == VAULT_ITEM_NOT_FOUND) status = vault_find(vault, query, VAULT_OF_SPACE, &item);
  }
  if (status == VAULT_OK) status = vault_item_copy_text(item, VAULT_ACCOUNT, account);
  if (status == VAULT_OK) status = vault_item_copy_secret(item, password);
  vault_item_release(item);
  vault_attributes_free(query);
  return status;
}

vault_status_t credentials_hold(
    struct typed_credentials *typed, const struct space *space, const char *account,
    const char *password) {
  credentials_forget(typed);
  vault_status_t status = describe(space, &typed->item);
  if (status == VAULT_OK) status = set_text(typed->item, VAULT_ACCOUNT, account);
  if (status == VAULT_OK) {
    status = vault_attributes_set_secret(typed->item, password, strlen(password));
  }
  if (status == VAULT_OK) status = vault_attributes_create(&typed->change);
  if (status == VAULT_OK) {
    status = vault_attributes_set_secret(typed->change, password, strlen(password));
  }
  return status;
}

/*
 * By account: an item of this user is modified, which keeps what else is in it, and the old password among its previous
 * ones; another user's is left alone. VAULT_ACCEPTED, because a policy may want a server's word first.
 */
vault_status_t credentials_save(vault_t *vault, const struct typed_credentials *typed) {
  vault_item_t *item = NULL, **expired = NULL;
  size_t count = 0;
  vault_status_t status = vault_find(vault, typed->item, VAULT_OF_SPACE, &item);
  if (status == VAULT_OK) {
    status = vault_modify(item, typed->change, 0, VAULT_ACCEPTED);
  } else if (status == VAULT_ITEM_NOT_FOUND) {
    status = vault_add(vault, typed->item, VAULT_PERSISTENCE_PERMANENT, VAULT_ACCEPTED, NULL);
  } else if (status == VAULT_EXPIRED) {
    /* The time that was up was the old password's, and goes with it. */
    status = vault_attributes_set_number(typed->change, VAULT_EXPIRES, 0);
    if (status == VAULT_OK) {
      status = vault_find_all(vault, typed->item, VAULT_OF_SPACE, 1, &expired, &count);
    }
    if (status == VAULT_OK && count == 0) status = VAULT_ITEM_NOT_FOUND;
    if (status == VAULT_OK) status = vault_modify(expired[0], typed->change, 0, VAULT_ACCEPTED);
  }
  vault_items_free(expired, count);
  vault_item_release(item);
  return status;
}

void credentials_forget(struct typed_credentials *typed) {
  vault_attributes_free(typed->item);
  vault_attributes_free(typed->change);
  *typed = (struct typed_credentials){0};
}
