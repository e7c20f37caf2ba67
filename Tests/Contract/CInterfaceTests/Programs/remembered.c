/* A vault whose key the kernel remembers: `store` keeps a credential for the session, `find` is another process. */
#include "world.h"

#define DO(call) EXPECT((call) == 0)

int main(int count, char **arguments) {
  EXPECT(count == 3);
  const int stores = strcmp(arguments[1], "store") == 0;
  vault_t *vault = NULL;
  vault_attributes_t *attributes = NULL;
  vault_item_t *item = NULL;
  vault_buffer_t buffer;
  DO(vault_open_sharing(arguments[2], &vault));
  DO(vault_require_shared_session(vault));
  DO(vault_attributes_create(&attributes));
  DO(vault_attributes_set_url(attributes, URL, sizeof URL - 1));
  DO(vault_attributes_set_text(attributes, VAULT_ACCOUNT, "ann", 3));
  if (stores) {
    DO(vault_attributes_set_secret(attributes, "secret", 6));
    DO(vault_add(vault, attributes, VAULT_PERSISTENCE_SESSION, VAULT_ACCEPTED, NULL));
  } else {
    DO(vault_find(vault, attributes, VAULT_WITH_SECRETS, &item));
    DO(vault_item_copy_secret(item, &buffer));
    EXPECT(buffer.count == 6 && memcmp(buffer.bytes, "secret", 6) == 0);
    vault_buffer_free(&buffer);
    DO(vault_item_release(item));
  }
  vault_attributes_free(attributes);
  DO(vault_close(vault));
  return 0;
}
