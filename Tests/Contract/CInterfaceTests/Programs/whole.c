/* Calls the whole interface, both shapes, and frees everything: a leak is the library's. */
#include "world.h"

static vault_buffer_t buffer;

/* Returns whether a buffer holds a text, and frees it. */
static int holds(const char *text) {
  const int is = buffer.count == strlen(text) && strcmp(buffer.bytes, text) == 0;
  vault_buffer_free(&buffer);
  return is && buffer.bytes == NULL && buffer.count == 0;
}

/* Calls a function with valid arguments and expects success. */
#define DO(call) EXPECT((call) == 0)

static vault_attributes_t *name(const char *account) {
  vault_attributes_t *attributes = NULL;
  DO(vault_attributes_create(&attributes));
  DO(vault_attributes_set_url(attributes, URL "/path", sizeof URL + 4));
  DO(vault_attributes_set_request_path(attributes, "/path?query", 11));
  DO(vault_attributes_set_text(attributes, VAULT_ACCOUNT, account, strlen(account)));
  DO(vault_attributes_set_number(attributes, VAULT_EXPIRES, 9000000000000));
  DO(vault_attributes_set_custom(attributes, "team", 4, "red", 3));
  DO(vault_attributes_set_secret(attributes, "secret", 6));
  DO(vault_attributes_set_refresh_token(attributes, "refresh", 7));
  return attributes;
}

static void items(vault_t *vault, vault_persistence_t persistence) {
  vault_attributes_t *ann = name("ann"), *bob = name("bob"), *any = NULL;
  vault_item_t *item = NULL, *found = NULL;
  DO(vault_add(vault, ann, persistence, VAULT_ACCEPTED, &item));
  EXPECT(vault_add(vault, ann, persistence, 0, NULL) == VAULT_DUPLICATE_ITEM);
  DO(vault_upsert(vault, bob, persistence, 0, NULL));
  DO(vault_upsert(vault, bob, persistence, 0, &found));
  DO(vault_item_release(found));

  EXPECT(vault_find_unique(vault, bob, VAULT_OF_SPACE, &found) == VAULT_UNSUPPORTED);
  DO(vault_attributes_create(&any));
  DO(vault_attributes_set_url(any, URL, sizeof URL - 1));
  EXPECT(vault_find_unique(vault, any, 0, &found) == VAULT_AMBIGUOUS);
  size_t count = 0;
  vault_item_t **all = NULL;
  DO(vault_last_error_candidates(vault, &all, &count));
  EXPECT(count == 2);
  vault_items_free(all, count);
  DO(vault_find(vault, any, VAULT_WITH_SECRETS | VAULT_WITH_SUBDOMAINS, &found));
  DO(vault_item_copy_text(found, VAULT_ACCOUNT, &buffer));
  EXPECT(holds("ann"));
  DO(vault_item_copy_custom(found, "team", 4, &buffer));
  EXPECT(holds("red"));
  DO(vault_item_copy_secret(found, &buffer));
  EXPECT(holds("secret"));
  DO(vault_item_copy_refresh_token(item, &buffer));
  EXPECT(holds("refresh"));
  uint64_t number = 0;
  DO(vault_item_get_number(found, VAULT_EXPIRES, &number));
  EXPECT(number == 9000000000000);

  DO(vault_count(vault, any, 0, &count));
  EXPECT(count == 2);
  DO(vault_find_all(vault, any, 0, 0, &all, &count));
  EXPECT(count == 2);
  vault_items_free(all, count);

  DO(vault_set_default_user(vault, any, "bob", 3));
  vault_item_t *chosen = NULL;
  DO(vault_get_default_credential(vault, any, &chosen));
  DO(vault_item_copy_text(chosen, VAULT_ACCOUNT, &buffer));
  EXPECT(holds("bob"));
  DO(vault_item_release(chosen));

  vault_attributes_t *changes = NULL;
  DO(vault_attributes_create(&changes));
  DO(vault_attributes_set_text(changes, VAULT_COMMENT, "changed", 7));
  DO(vault_attributes_set_secret(changes, NULL, 0));
  DO(vault_modify(found, changes, 0, 0));
  EXPECT(vault_modify(item, changes, UINT64_MAX, 0) == VAULT_CONFLICT);
  DO(vault_item_copy_secret(found, &buffer));
  EXPECT(holds(""));
  EXPECT(vault_confirm(found) == VAULT_ITEM_NOT_FOUND);
  EXPECT(vault_reject(found) == VAULT_ITEM_NOT_FOUND);

  DO(vault_item_retain(item));
  DO(vault_item_release(item));
  DO(vault_remove(item, 0));
  EXPECT(vault_remove(item, 0) == VAULT_ITEM_NOT_FOUND);
  DO(vault_remove_all(vault, any, 0, &count));
  EXPECT(count == 1);
  DO(vault_item_release(item));
  DO(vault_item_release(found));
  DO(vault_attributes_free(ann));
  DO(vault_attributes_free(bob));
  DO(vault_attributes_free(any));
  DO(vault_attributes_free(changes));
}

static void generic(vault_t *vault, vault_persistence_t persistence) {
  vault_attributes_t *token = NULL;
  vault_item_t *item = NULL;
  uint64_t class = 0;
  DO(vault_attributes_create(&token));
  DO(vault_attributes_set_text(token, VAULT_SERVICE, "api", 3));
  DO(vault_attributes_set_data(token, VAULT_GENERIC, "\0\1", 2));
  DO(vault_attributes_set_secret(token, "token", 5));
  EXPECT(vault_attributes_set_url(token, URL, sizeof URL - 1) == VAULT_INVALID_ARGUMENT);
  DO(vault_add(vault, token, persistence, 0, &item));
  DO(vault_item_get_number(item, VAULT_CLASS, &class));
  EXPECT(class == VAULT_CLASS_GENERIC_PASSWORD);
  DO(vault_item_copy_data(item, VAULT_GENERIC, &buffer));
  EXPECT(buffer.count == 2 && buffer.bytes[1] == 1 && buffer.bytes[2] == 0);
  vault_buffer_free(&buffer);
  DO(vault_item_release(item));
  DO(vault_remove_unique(vault, token, 0, &item));
  EXPECT(vault_remove_unique(vault, token, 0, NULL) == VAULT_ITEM_NOT_FOUND);
  DO(vault_item_release(item));
  DO(vault_attributes_free(token));
}

static void past(vault_t *vault) {
  vault_attributes_t *eve = name("eve"), *secret = NULL;
  vault_item_t *item = NULL, **removed = NULL;
  vault_previous_secret_t *history = NULL;
  size_t count = 0;
  DO(vault_set_history_limit(vault, 5));
  DO(vault_get_history_limit(vault, &count));
  EXPECT(count == 5);
  DO(vault_add(vault, eve, VAULT_PERSISTENCE_PERMANENT, 0, &item));
  DO(vault_item_copy_history(item, &history, &count));
  EXPECT(history == NULL && count == 0);
  DO(vault_attributes_create(&secret));
  DO(vault_attributes_set_secret(secret, "new", 3));
  DO(vault_modify(item, secret, 0, 0));
  DO(vault_item_copy_history(item, &history, &count));
  EXPECT(count == 1 && history->set <= history->replaced && history->expires == 9000000000000);
  DO(vault_item_copy_previous_secret(item, history->replaced, &buffer));
  EXPECT(holds("secret"));
  DO(vault_revert(item, history->replaced, 0, 0));
  vault_history_free(history);
  DO(vault_item_copy_secret(item, &buffer));
  EXPECT(holds("secret"));

  DO(vault_set_trash_days(vault, 7));
  DO(vault_get_trash_days(vault, &count));
  EXPECT(count == 7);
  DO(vault_trash_empty(vault, NULL, 0, NULL));
  DO(vault_remove(item, 0));
  EXPECT(vault_trash_list(vault, eve, 0, 0, &removed, &count) == VAULT_UNSUPPORTED);
  DO(vault_trash_list(vault, NULL, 0, 0, &removed, &count));
  EXPECT(count == 1);
  DO(vault_trash_restore(removed[0]));
  DO(vault_remove(removed[0], 0));
  vault_items_free(removed, count);
  DO(vault_trash_list(vault, NULL, 0, 0, &removed, &count));
  DO(vault_trash_remove(removed[0]));
  vault_items_free(removed, count);
  DO(vault_trash_empty(vault, NULL, 0, &count));
  EXPECT(count == 0);
  DO(vault_item_release(item));
  DO(vault_attributes_free(secret));
  DO(vault_attributes_free(eve));
}

static vault_status_t change_past(vault_t *vault, void *context) {
  vault_item_t *item = context, **removed = NULL;
  vault_attributes_t *secret = NULL;
  vault_previous_secret_t *history = NULL;
  size_t count = 0;
  DO(vault_attributes_create(&secret));
  DO(vault_attributes_set_secret(secret, "newer", 5));
  DO(vault_modify(item, secret, 0, 0));
  DO(vault_item_copy_history(item, &history, &count));
  EXPECT(count == 1);
  DO(vault_item_copy_previous_secret(item, history->replaced, &buffer));
  EXPECT(holds("secret"));
  DO(vault_revert(item, history->replaced, 0, 0));
  vault_history_free(history);
  DO(vault_remove(item, 0));
  DO(vault_trash_list(vault, NULL, 0, 0, &removed, &count));
  EXPECT(count == 1);
  DO(vault_trash_restore(removed[0]));
  DO(vault_remove(removed[0], 0));
  vault_items_free(removed, count);
  DO(vault_trash_list(vault, NULL, 0, 0, &removed, &count));
  DO(vault_trash_remove(removed[0]));
  vault_items_free(removed, count);
  DO(vault_trash_empty(vault, NULL, 0, &count));
  EXPECT(count == 0);
  DO(vault_attributes_free(secret));
  return VAULT_OK;
}

static vault_status_t change(vault_t *vault, void *context) {
  vault_attributes_t *ann = name("ann"), *joe = name("joe"), *url = NULL, *comment = NULL;
  vault_item_t *item = NULL, *found = NULL, **all = NULL;
  size_t count = 0;
  DO(vault_add(vault, ann, VAULT_PERSISTENCE_PERMANENT, 0, &item));
  EXPECT(vault_add(vault, ann, VAULT_PERSISTENCE_PERMANENT, 0, NULL) == VAULT_DUPLICATE_ITEM);
  DO(vault_upsert(vault, joe, VAULT_PERSISTENCE_PERMANENT, 0, NULL));
  DO(vault_attributes_create(&comment));
  DO(vault_attributes_set_text(comment, VAULT_COMMENT, "changed", 7));
  DO(vault_modify(item, comment, 0, 0));
  DO(vault_attributes_create(&url));
  DO(vault_attributes_set_url(url, URL, sizeof URL - 1));
  DO(vault_find(vault, url, VAULT_WITH_SECRETS, &found));
  DO(vault_item_copy_secret(found, &buffer));
  EXPECT(holds("secret"));
  DO(vault_item_release(found));
  EXPECT(vault_find_unique(vault, url, 0, &found) == VAULT_AMBIGUOUS);
  DO(vault_find_all(vault, url, 0, 0, &all, &count));
  EXPECT(count == 2);
  vault_items_free(all, count);
  DO(vault_remove_unique(vault, comment, 0, &found));
  EXPECT(vault_remove(item, 0) == VAULT_ITEM_NOT_FOUND);
  DO(vault_remove_all(vault, url, 0, &count));
  EXPECT(count == 1);
  DO(vault_count(vault, NULL, 0, &count));
  EXPECT(count == 0);
  DO(vault_item_release(found));
  DO(vault_item_release(item));
  DO(vault_attributes_free(comment));
  DO(vault_attributes_free(url));
  DO(vault_attributes_free(joe));
  DO(vault_attributes_free(ann));
  return *(vault_status_t *)context;
}

static void transactions(vault_t *vault) {
  vault_status_t status = VAULT_UNAVAILABLE;
  EXPECT(vault_transaction(vault, change, &status) == VAULT_UNAVAILABLE);
  status = VAULT_OK;
  DO(vault_transaction(vault, change, &status));
  vault_attributes_t *eve = name("eve");
  vault_item_t *item = NULL;
  DO(vault_trash_empty(vault, NULL, 0, NULL));
  DO(vault_add(vault, eve, VAULT_PERSISTENCE_PERMANENT, 0, &item));
  DO(vault_transaction(vault, change_past, item));
  DO(vault_item_release(item));
  DO(vault_attributes_free(eve));
}

static void vaults(const char *folder) {
  char path[512];
  vault_t *vault = NULL, *other = NULL;
  vault_state_t state;
  snprintf(path, sizeof path, "%s/passphrase.vault", folder);
  DO(vault_create_with_passphrase(path, "passphrase", 10, &vault));
  items(vault, VAULT_PERSISTENCE_PERMANENT);
  generic(vault, VAULT_PERSISTENCE_PERMANENT);
  past(vault);
  transactions(vault);
  DO(vault_lock(vault));
  DO(vault_get_state(vault, &state));
  EXPECT(state == VAULT_STATE_LOCKED);
  size_t count = 0;
  EXPECT(vault_count(vault, NULL, 0, &count) == VAULT_LOCKED);
  EXPECT(vault_unlock_with_passphrase(vault, "wrong", 5) == VAULT_AUTHENTICATION_FAILED);
  EXPECT(vault_unlock_with_passphrase(vault, "", 0) == VAULT_INVALID_ARGUMENT);
  DO(vault_unlock_with_passphrase(vault, "passphrase", 10));
  DO(vault_close(vault));

  const char *key = getenv("VAULTCTL_KEY_FILE");
  snprintf(path, sizeof path, "%s/both.vault", folder);
  EXPECT(vault_create_with_passphrase(path, "", 0, &vault) == VAULT_INVALID_ARGUMENT);
  EXPECT(vault_create_with_passphrase_and_key_file(path, "", 0, key, &vault) == VAULT_INVALID_ARGUMENT);
  DO(vault_create_with_passphrase_and_key_file(path, "passphrase", 10, key, &vault));
  DO(vault_lock(vault));
  EXPECT(vault_unlock_with_passphrase(vault, "passphrase", 10) == VAULT_LOCKED);
  EXPECT(vault_unlock_with_key_file(vault, key) == VAULT_LOCKED);
  EXPECT(vault_unlock_with_passphrase_and_key_file(vault, "wrong", 5, key) == VAULT_AUTHENTICATION_FAILED);
  DO(vault_unlock_with_passphrase_and_key_file(vault, "passphrase", 10, key));
  DO(vault_close(vault));

  snprintf(path, sizeof path, "%s/key.vault", folder);
  DO(vault_create_with_key_file(path, key, &vault));
  DO(vault_close(vault));
  EXPECT(vault_create_with_key_file(path, key, &vault) == VAULT_VAULT_EXISTS);
  DO(vault_open(path, &vault));
  DO(vault_open_accepting(path, &other));
  EXPECT(vault_require_shared_session(other) == VAULT_UNSUPPORTED);
  DO(vault_close(other));
  DO(vault_open_sharing(path, &other));
  // Whether it can be shared is a matter of the machine.
  EXPECT(vault_require_shared_session(other) != VAULT_UNSUPPORTED);
  DO(vault_close(other));
  DO(vault_open_locked(path, &other));
  DO(vault_lock(other));
  DO(vault_unlock_with_key_file(other, key));
  DO(vault_lock(vault));
  DO(vault_unlock(vault));
  items(vault, VAULT_PERSISTENCE_PERMANENT);
  items(other, VAULT_PERSISTENCE_SESSION);
  DO(vault_close(other));
  DO(vault_close(vault));
  EXPECT(vault_open("/nowhere", &vault) == VAULT_VAULT_NOT_FOUND);
  EXPECT(strlen(vault_last_error()) > 0);
  EXPECT(strcmp(vault_status_message(VAULT_CLOSED), "the vault was closed") == 0);

  DO(vault_open_in_memory(&vault));
  items(vault, VAULT_PERSISTENCE_SESSION);
  generic(vault, VAULT_PERSISTENCE_SESSION);
  DO(vault_close(vault));
}

static void keychain(const char *folder) {
  char path[512];
  VaultRef vault = NULL, opened = NULL;
  VaultItemRef item = NULL, next = NULL;
  snprintf(path, sizeof path, "%s/keychain.vault", folder);
  DO(vault_create_with_key_file(path, getenv("VAULTCTL_KEY_FILE"), &vault));
  DO(VaultOpen(path, &opened));
  DO(VaultAddInternetPassword(
      vault, TEXT_COUNT, TEXT, 0, NULL, 3, "ann", 0, NULL, 0, kVaultProtocolTypeHTTPS,
      kVaultAuthenticationTypeDefault, 6, "secret", &item));
  EXPECT(VaultItemRetain(item) == item);
  VaultItemRelease(item);

  uint32_t length = 0;
  void *data = NULL;
  VaultListRef list = NULL;
  DO(VaultListCreate(&vault, 1, &list));
  DO(VaultFindInternetPassword(
      list, TEXT_COUNT, TEXT, 0, NULL, 0, NULL, 0, NULL, 0, 0, 0, &length, &data, &next));
  EXPECT(length == 6 && memcmp(data, "secret", 7) == 0);
  DO(VaultItemFreeContent(NULL, data));
  VaultItemRelease(next);
  EXPECT(VaultRetain(list) == list);
  VaultRelease(list);
  VaultRelease(list);

  VaultAttribute label = {kVaultLabelItemAttr, 4, "Work"};
  VaultAttributeList changes = {1, &label};
  DO(VaultItemModifyContent(item, &changes, 3, "new"));
  label.length = 0;
  DO(VaultItemModifyAttributesAndData(item, &changes, 0, NULL));
  EXPECT(VaultItemModifyContent(item, &changes, 0, "") == 0);

  VaultItemClass class = 0;
  VaultAttribute wanted[] = {{kVaultAccountItemAttr, 0, NULL}, {kVaultModDateItemAttr, 0, NULL}};
  VaultAttributeList copied = {2, wanted};
  DO(VaultItemCopyContent(item, &class, &copied, &length, &data));
  EXPECT(class == kVaultInternetPasswordItemClass && wanted[0].length == 3 && length == 0);
  DO(VaultItemFreeContent(&copied, data));
  uint32_t tags[] = {kVaultServerItemAttr, kVaultPathItemAttr}, formats[] = {0, 0};
  VaultAttributeInfo info = {2, tags, formats};
  VaultAttributeList *given = NULL;
  DO(VaultItemCopyAttributesAndData(item, &info, &class, &given, &length, &data));
  EXPECT(given->count == 2);
  DO(VaultItemFreeAttributesAndData(given, data));

  VaultSearchRef search = NULL;
  DO(VaultSearchCreateFromAttributes(vault, kVaultInternetPasswordItemClass, NULL, &search));
  DO(VaultSearchCopyNext(search, &next));
  VaultItemRelease(next);
  EXPECT(VaultSearchCopyNext(search, &next) == errVaultItemNotFound);
  VaultRelease(search);

  uint32_t status = 0;
  DO(VaultGetStatus(vault, &status));
  DO(VaultLock(vault));
  DO(VaultUnlock(vault, 0, NULL, 0));
  const char *message = VaultCopyErrorMessageString(errVaultItemNotFound, NULL);
  EXPECT(message != NULL && strlen(message) > 0);
  VaultRelease(message);
  DO(VaultItemDelete(item));
  EXPECT(VaultItemDelete(item) == errVaultItemNotFound);
  VaultItemRelease(item);
  VaultRelease(opened);
  VaultRelease(vault);
}

int main(int count, char **arguments) {
  EXPECT(count == 2);
  vaults(arguments[1]);
  keychain(arguments[1]);
  return 0;
}
