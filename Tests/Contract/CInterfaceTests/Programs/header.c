/* Uses the header as a C++ program also may: combines options, compares handles. */
#include <vault.h>
#include <vault_http.h>
#include <vault_tls.h>

int main(void) {
  vault_t *vault = 0;
  vault_item_t *item = 0;
  vault_options_t options = VAULT_WITH_SECRETS | VAULT_WITH_SUBDOMAINS;
  if (vault_open_in_memory(&vault) != VAULT_OK) return 1;
  if (vault_find(vault, 0, options, &item) != VAULT_ITEM_NOT_FOUND) return 2;
  VaultRef reference = vault;
  if (VaultRetain(reference) != vault) return 3;
  VaultRelease(reference);
  vault_http_options_t http = VAULT_HTTP_AFTER_CHALLENGE | VAULT_HTTP_WITH_PROOF;
  vault_http_authenticator_t *authenticator = 0;
  if (vault_http_authenticator_create(vault, http, &authenticator) != VAULT_OK) return 5;
  if (vault_http_authenticator_free(authenticator) != VAULT_OK) return 6;
  vault_trust_policy_t *policy = 0;
  vault_trust_options_t trust = VAULT_TRUST_ANY_HOST | VAULT_TRUST_SYSTEM_ANCHORS;
  if (vault_trust_policy_create(&policy) != VAULT_OK) return 7;
  if (vault_trust_policy_set_options(policy, trust) != VAULT_OK) return 8;
  if (vault_trust_policy_free(policy) != VAULT_OK) return 9;
  vault_identity_t identity = {{0, 0}, {0, 0}};
  vault_identity_free(&identity);
  return vault_close(vault) == VAULT_OK && item == 0 ? 0 : 4;
}
