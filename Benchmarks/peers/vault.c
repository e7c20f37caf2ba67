#include <string.h>
#include <vault.h>

#include "store.h"

static void check(vault_status_t status) {
  if (status != VAULT_OK) fail("vault", vault_last_error());
}

const char *vault_key_file;

static void *create(const char *path) {
  vault_t *vault = NULL;
  check(vault_create_with_key_file(path, vault_key_file, &vault));
  return vault;
}

static void *open_vault(const char *path) {
  vault_t *vault = NULL;
  check(vault_open_locked(path, &vault));
  check(vault_unlock_with_key_file(vault, vault_key_file));
  return vault;
}

static void close_vault(void *store) { check(vault_close(store)); }

static void set(vault_attributes_t *attributes, vault_attribute_t attribute, const char *text) {
  check(vault_attributes_set_text(attributes, attribute, text, strlen(text)));
}

/* The key of an item, without its path and method: as the peer's lookup has it. */
static vault_attributes_t *key(const struct item *item) {
  vault_attributes_t *attributes = NULL;
  check(vault_attributes_create(&attributes));
  set(attributes, VAULT_SERVER, item->server);
  set(attributes, VAULT_PROTOCOL, "https");
  check(vault_attributes_set_number(attributes, VAULT_PORT, ITEM_PORT));
  set(attributes, VAULT_REALM, ITEM_REALM);
  set(attributes, VAULT_ACCOUNT, item->account);
  return attributes;
}

static vault_attributes_t *whole(const struct item *item) {
  vault_attributes_t *attributes = key(item);
  set(attributes, VAULT_PATH, ITEM_PATH);
  set(attributes, VAULT_AUTHENTICATION_METHOD, "basic");
  set(attributes, VAULT_LABEL, item->label);
  check(vault_attributes_set_secret(attributes, item->secret, strlen(item->secret)));
  return attributes;
}

static void add(void *store, const struct item *item) {
  vault_attributes_t *attributes = whole(item);
  check(vault_add(store, attributes, VAULT_PERSISTENCE_PERMANENT, VAULT_NO_OPTIONS, NULL));
  check(vault_attributes_free(attributes));
}

struct bulk {
  const struct item *items;
  size_t count;
};

static vault_status_t add_in(vault_t *vault, void *context) {
  const struct bulk *bulk = context;
  for (size_t index = 0; index < bulk->count; index++) add(vault, &bulk->items[index]);
  return VAULT_OK;
}

static void add_all(void *store, const struct item *items, size_t count) {
  struct bulk bulk = {items, count};
  check(vault_transaction(store, add_in, &bulk));
}

static const vault_attribute_t texts[] = {
  VAULT_ACCOUNT, VAULT_REALM, VAULT_SERVER, VAULT_PROTOCOL, VAULT_AUTHENTICATION_METHOD,
  VAULT_PATH, VAULT_LABEL};

static unsigned find(void *store, const struct item *item) {
  vault_attributes_t *query = key(item);
  vault_item_t *found = NULL;
  vault_buffer_t secret = {0};
  check(vault_find(store, query, VAULT_WITH_SECRETS, &found));
  check(vault_item_copy_secret(found, &secret));
  unsigned sum = 0;
  for (size_t index = 0; index < secret.count; index++) sum += (unsigned char)secret.bytes[index];
  vault_buffer_free(&secret);
  check(vault_item_release(found));
  check(vault_attributes_free(query));
  return sum;
}

static size_t list(void *store) {
  vault_attributes_t *query = NULL;
  vault_item_t **items = NULL;
  size_t count = 0;
  check(vault_attributes_create(&query));
  check(vault_find_all(store, query, VAULT_NO_OPTIONS, 0, &items, &count));
  for (size_t index = 0; index < count; index++) {
    for (size_t text = 0; text < sizeof texts / sizeof texts[0]; text++) {
      vault_buffer_t value = {0};
      check(vault_item_copy_text(items[index], texts[text], &value));
      vault_buffer_free(&value);
    }
  }
  vault_items_free(items, count);
  check(vault_attributes_free(query));
  return count;
}

const struct store vault_store = {
  "vault", create, open_vault, close_vault, add_all, add, find, list};
