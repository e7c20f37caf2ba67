/* A replica of a fleet's vault: it is read always, and written if a program orders its writes, which a
   fourth word says. */
#include "world.h"

#define DO(call) EXPECT((call) == 0)
#define REFUSED(call) EXPECT((call) == VAULT_UNAVAILABLE)

int main(int count, char **arguments) {
  EXPECT(count == 3 || count == 4);
  vault_t *vault = NULL;
  vault_attributes_t *new = NULL, *any = NULL;
  vault_item_t *item = NULL;
  size_t removed = 0;
  DO(vault_open_locked(arguments[1], &vault));
  DO(vault_unlock_with_key_file(vault, arguments[2]));
  DO(vault_attributes_create(&new));
  DO(vault_attributes_set_url(new, URL, sizeof URL - 1));
  DO(vault_attributes_set_text(new, VAULT_ACCOUNT, "ann", 3));
  DO(vault_attributes_set_secret(new, "secret", 6));
  DO(vault_attributes_create(&any));
  DO(vault_attributes_set_text(any, VAULT_ACCOUNT, "ada", 3));
  DO(vault_find(vault, any, VAULT_WITH_SECRETS, &item));
  if (count == 4) {
    DO(vault_add(vault, new, VAULT_PERSISTENCE_PERMANENT, VAULT_ACCEPTED, NULL));
    DO(vault_remove(item, VAULT_NO_OPTIONS));
    DO(vault_item_release(item));
    EXPECT(vault_find(vault, any, VAULT_NO_OPTIONS, &item) == VAULT_ITEM_NOT_FOUND);
    vault_attributes_free(new);
    vault_attributes_free(any);
    DO(vault_close(vault));
    return 0;
  }
  REFUSED(vault_add(vault, new, VAULT_PERSISTENCE_PERMANENT, VAULT_ACCEPTED, NULL));
  REFUSED(vault_upsert(vault, new, VAULT_PERSISTENCE_PERMANENT, VAULT_ACCEPTED, NULL));
  REFUSED(vault_modify(item, new, 0, VAULT_NO_OPTIONS));
  REFUSED(vault_remove(item, VAULT_NO_OPTIONS));
  REFUSED(vault_remove_all(vault, any, VAULT_NO_OPTIONS, &removed));
  /* For the session, nobody is asked. */
  DO(vault_add(vault, new, VAULT_PERSISTENCE_SESSION, VAULT_ACCEPTED, NULL));
  DO(vault_count(vault, NULL, VAULT_NO_OPTIONS, &removed));
  EXPECT(removed == 2);
  DO(vault_item_release(item));
  vault_attributes_free(new);
  vault_attributes_free(any);
  DO(vault_close(vault));
  return 0;
}
