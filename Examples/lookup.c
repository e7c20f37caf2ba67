#include <stdio.h>
#include <string.h>
#include <vault.h>

int main(int argc, char **argv) {
  vault_t *vault = NULL;
  vault_attributes_t *query = NULL;
  vault_item_t *item = NULL;
  vault_buffer_t user = {0}, secret = {0};
  const char *host = argc == 2 ? strstr(argv[1], "://") : NULL;
  const char *path = host != NULL ? strchr(host + 3, '/') : NULL;
  int found = argc == 2 && vault_open(NULL, &vault) == VAULT_OK
      && vault_attributes_create(&query) == VAULT_OK
      && vault_attributes_set_url(query, argv[1], strlen(argv[1])) == VAULT_OK
      && vault_attributes_set_request_path(query, path, path != NULL ? strlen(path) : 0) == VAULT_OK
      && vault_find(vault, query, VAULT_WITH_SECRETS, &item) == VAULT_OK
      && vault_item_copy_text(item, VAULT_ACCOUNT, &user) == VAULT_OK
      && vault_item_copy_secret(item, &secret) == VAULT_OK;
  if (found) printf("%s, secret of %zu bytes\n", user.bytes, secret.count);
  else fprintf(stderr, "%s\n", argc == 2 ? vault_last_error() : "usage: lookup URL");
  vault_buffer_free(&secret);
  vault_buffer_free(&user);
  vault_item_release(item);
  vault_attributes_free(query);
  if (vault != NULL) vault_close(vault);
  return found ? 0 : 1;
}
