#include <stdio.h>
#include <string.h>
#include <vault.h>

struct tokens {
  size_t count;
  struct { char service[64], account[64], token[256]; } all[16];
};

/* Adds a token, or replaces the one of the same service and account. */
static vault_status_t store(vault_t *vault, void *context) {
  const struct tokens *tokens = context;
  vault_status_t status = VAULT_OK;
  for (size_t i = 0; status == VAULT_OK && i < tokens->count; i += 1) {
    const char *service = tokens->all[i].service, *account = tokens->all[i].account;
    const char *token = tokens->all[i].token;
    vault_attributes_t *item = NULL;
    if ((status = vault_attributes_create(&item)) != VAULT_OK) break;
    if ((status = vault_attributes_set_text(item, VAULT_SERVICE, service, strlen(service))) == VAULT_OK
        && (status = vault_attributes_set_text(item, VAULT_ACCOUNT, account, strlen(account))) == VAULT_OK
        && (status = vault_attributes_set_secret(item, token, strlen(token))) == VAULT_OK)
      status = vault_upsert(vault, item, VAULT_PERSISTENCE_PERMANENT, VAULT_NO_OPTIONS, NULL);
    vault_attributes_free(item);
  }
  return status;
}

/* Stores the lines "service account token" of standard input, all of them or none. */
int main(void) {
  static struct tokens tokens;
  vault_t *vault = NULL;
  while (tokens.count < 16
      && scanf("%63s %63s %255s", tokens.all[tokens.count].service,
          tokens.all[tokens.count].account, tokens.all[tokens.count].token) == 3)
    tokens.count += 1;
  int stored = vault_open(NULL, &vault) == VAULT_OK
      && vault_transaction(vault, store, &tokens) == VAULT_OK;
  if (stored) printf("%zu tokens\n", tokens.count);
  else fprintf(stderr, "%s\n", vault_last_error());
  memset(&tokens, 0, sizeof tokens);
  if (vault != NULL) vault_close(vault);
  return stored ? 0 : 1;
}
