/* Trust in servers: policies, evaluations and decisions, over certificates that are made here. */
#include "world.h"

#define DO(call) EXPECT((call) == VAULT_OK)

static const char *folder;
static vault_buffer_t buffer;

static int holds(const char *text) {
  const int is = buffer.count == strlen(text) && strcmp(buffer.bytes, text) == 0;
  vault_buffer_free(&buffer);
  return is;
}

struct certificates {
  unsigned char bytes[8192];
  size_t count;
};

static struct certificates chain_of(const char *first, const char *second) {
  struct certificates chain = {{0}, 0};
  chain.count = read_file(folder, first, chain.bytes, sizeof chain.bytes);
  EXPECT(chain.count > 0);
  if (second != NULL) {
    chain.count += read_file(
        folder, second, chain.bytes + chain.count, sizeof chain.bytes - chain.count);
  }
  return chain;
}

static vault_attributes_t *space_of(const char *url) {
  vault_attributes_t *space = NULL;
  DO(vault_attributes_create(&space));
  DO(vault_attributes_set_url(space, url, strlen(url)));
  return space;
}

static vault_trust_verdict_t verdict_of(vault_trust_evaluation_t *evaluation) {
  vault_trust_verdict_t verdict;
  DO(vault_trust_evaluation_get_verdict(evaluation, &verdict));
  return verdict;
}

static vault_trust_problems_t problems_of(vault_trust_evaluation_t *evaluation) {
  vault_trust_problems_t problems;
  DO(vault_trust_evaluation_get_problems(evaluation, &problems));
  return problems;
}

/* Evaluates a chain and expects a verdict and problems. */
static void expect_at(
    vault_t *vault, const vault_attributes_t *space, vault_trust_policy_t *policy,
    struct certificates chain, uint64_t time, vault_trust_verdict_t verdict,
    vault_trust_problems_t problems) {
  vault_trust_evaluation_t *evaluation = NULL;
  DO(vault_trust_evaluate(
      vault, space, policy, chain.bytes, chain.count, time, &evaluation));
  DO(vault_trust_evaluation_copy_text(evaluation, &buffer));
  if (verdict_of(evaluation) != verdict || problems_of(evaluation) != problems) {
    fprintf(stderr, "%s, not %d with %u\n", buffer.bytes, (int)verdict, (unsigned)problems);
    exit(98);
  }
  vault_buffer_free(&buffer);
  DO(vault_trust_evaluation_free(evaluation));
}

static void policies(vault_attributes_t *space) {
  const struct certificates leaf = chain_of("leaf.cer", NULL), own = chain_of("own.cer", NULL),
                            root = chain_of("root.cer", NULL), list = chain_of("root.crl", NULL),
                            both = chain_of("leaf.cer", "own.cer");
  vault_trust_policy_t *policy = NULL;
  vault_attributes_t *other = space_of("https://www.example.org");
  expect_at(NULL, space, NULL, leaf, 0, VAULT_TRUST_RECOVERABLE, VAULT_TRUST_UNKNOWN_ISSUER);
  DO(vault_trust_policy_create(&policy));
  DO(vault_trust_policy_add_anchors(policy, root.bytes, root.count));
  expect_at(NULL, space, policy, leaf, 0, VAULT_TRUST_UNSPECIFIED, 0);
  expect_at(NULL, space, policy, own, 0, VAULT_TRUST_RECOVERABLE, VAULT_TRUST_SELF_SIGNED);
  expect_at(NULL, other, policy, leaf, 0, VAULT_TRUST_RECOVERABLE, VAULT_TRUST_WRONG_HOST);
  expect_at(NULL, space, policy, leaf, 1, VAULT_TRUST_RECOVERABLE, VAULT_TRUST_NOT_YET_VALID);
  DO(vault_trust_policy_set_options(policy, VAULT_TRUST_ANY_HOST | VAULT_TRUST_SYSTEM_ANCHORS));
  expect_at(NULL, other, policy, leaf, 0, VAULT_TRUST_UNSPECIFIED, 0);
  DO(vault_trust_policy_set_options(policy, VAULT_TRUST_REQUIRES_REVOCATION_LISTS));
  expect_at(
      NULL, space, policy, leaf, 0, VAULT_TRUST_RECOVERABLE, VAULT_TRUST_MISSING_REVOCATION_LIST);
  DO(vault_trust_policy_add_revocation_list(policy, list.bytes, list.count));
  expect_at(NULL, space, policy, leaf, 0, VAULT_TRUST_UNSPECIFIED, 0);
  EXPECT(
      vault_trust_policy_set_options(policy, VAULT_TRUST_WITH_SUBDOMAINS) ==
      VAULT_INVALID_ARGUMENT);
  EXPECT(vault_trust_policy_add_anchors(policy, root.bytes, root.count - 1) == VAULT_INVALID_DATA);
  EXPECT(vault_trust_policy_add_pins(policy, "sha256//", 8) == VAULT_INVALID_DATA);

  /* Pins: of somebody, only reported, and then of a certificate that was merely sent. */
  vault_trust_evaluation_t *evaluation = NULL;
  bool is_reported = false;
  DO(vault_trust_policy_add_pins(policy, PIN, sizeof PIN - 1));
  expect_at(NULL, space, policy, leaf, 0, VAULT_TRUST_DENY, VAULT_TRUST_PIN_MISMATCH);
  DO(vault_trust_policy_set_options(policy, VAULT_TRUST_REPORT_ONLY));
  DO(vault_trust_evaluate(NULL, space, policy, leaf.bytes, leaf.count, 0, &evaluation));
  DO(vault_trust_evaluation_is_reported(evaluation, &is_reported));
  EXPECT(is_reported && verdict_of(evaluation) == VAULT_TRUST_UNSPECIFIED);
  DO(vault_trust_evaluation_copy_path(evaluation, &buffer));
  EXPECT(buffer.count == leaf.count + root.count);
  EXPECT(memcmp(buffer.bytes, leaf.bytes, leaf.count) == 0);
  EXPECT(memcmp(buffer.bytes + leaf.count, root.bytes, root.count) == 0);
  vault_buffer_free(&buffer);
  DO(vault_trust_evaluation_free(evaluation));
  EXPECT(vault_trust_evaluation_free(evaluation) == VAULT_INVALID_ARGUMENT);
  DO(vault_trust_policy_free(policy));
  DO(vault_trust_policy_create(&policy));
  DO(vault_trust_policy_add_pinned_certificates(policy, own.bytes, own.count));
  expect_at(NULL, space, policy, own, 0, VAULT_TRUST_UNSPECIFIED, 0);
  expect_at(
      NULL, space, policy, both, 0, VAULT_TRUST_DENY,
      VAULT_TRUST_UNKNOWN_ISSUER | VAULT_TRUST_PIN_MISMATCH);
  DO(vault_trust_policy_free(policy));
  DO(vault_attributes_free(other));
}

static void decisions(vault_t *vault, vault_attributes_t *space) {
  const struct certificates own = chain_of("own.cer", NULL), other = chain_of("other.cer", NULL);
  const vault_persistence_t session = VAULT_PERSISTENCE_SESSION;
  vault_trust_evaluation_t *found = NULL, *changed = NULL;
  vault_item_t *item = NULL, *key = NULL;
  DO(vault_trust_evaluate(vault, space, NULL, own.bytes, own.count, 0, &found));
  EXPECT(vault_trust_evaluation_copy_pin(found, true, &buffer) == VAULT_ITEM_NOT_FOUND);
  DO(vault_trust_accept(vault, space, found, 0, session, &item));
  expect_at(vault, space, NULL, own, 0, VAULT_TRUST_PROCEED, VAULT_TRUST_SELF_SIGNED);
  expect_at(NULL, space, NULL, own, 0, VAULT_TRUST_RECOVERABLE, VAULT_TRUST_SELF_SIGNED);
  DO(vault_remove(item, 0));
  DO(vault_item_release(item));
  DO(vault_trust_accept(vault, space, found, 1, session, NULL));
  expect_at(vault, space, NULL, own, 0, VAULT_TRUST_RECOVERABLE, VAULT_TRUST_SELF_SIGNED);

  /* The first use, and then another key. */
  DO(vault_trust_record_first_use(
      vault, space, found, false, 0, VAULT_PERSISTENCE_PERMANENT, &key));
  expect_at(vault, space, NULL, own, 0, VAULT_TRUST_PROCEED, VAULT_TRUST_SELF_SIGNED);
  DO(vault_trust_evaluate(vault, space, NULL, other.bytes, other.count, 0, &changed));
  EXPECT(verdict_of(changed) == VAULT_TRUST_DENY);
  EXPECT(problems_of(changed) == (VAULT_TRUST_SELF_SIGNED | VAULT_TRUST_CHANGED_KEY));
  EXPECT(vault_trust_accept(vault, space, changed, 0, session, NULL) == VAULT_INVALID_ARGUMENT);
  vault_buffer_t known = {NULL, 0}, now = {NULL, 0};
  DO(vault_trust_evaluation_copy_pin(changed, true, &known));
  DO(vault_trust_evaluation_copy_pin(changed, false, &now));
  DO(vault_trust_evaluation_copy_text(changed, &buffer));
  EXPECT(strstr(buffer.bytes, known.bytes) != NULL && strstr(buffer.bytes, now.bytes) != NULL);
  EXPECT(strcmp(known.bytes, now.bytes) != 0 && known.count == sizeof PIN - 1);
  vault_buffer_free(&buffer);
  DO(vault_trust_evaluation_copy_pin(found, false, &buffer));
  EXPECT(holds(known.bytes));
  const vault_persistence_t permanent = VAULT_PERSISTENCE_PERMANENT;
  EXPECT(
      vault_trust_record_first_use(vault, space, changed, false, 0, permanent, NULL) ==
      VAULT_CONFLICT);
  DO(vault_trust_record_first_use(vault, space, changed, true, 0, permanent, NULL));
  expect_at(vault, space, NULL, other, 0, VAULT_TRUST_PROCEED, VAULT_TRUST_SELF_SIGNED);
  vault_previous_secret_t *history = NULL;
  size_t count = 0;
  DO(vault_item_copy_history(key, &history, &count));
  EXPECT(count == 1);
  vault_history_free(history);
  DO(vault_remove(key, 0));
  DO(vault_item_release(key));

  /* Pins, for the host itself and then of the domain above it. */
  EXPECT(vault_trust_copy_pins(vault, space, &buffer) == VAULT_ITEM_NOT_FOUND);
  DO(vault_trust_pin(vault, space, PIN ";" PIN, 2 * sizeof PIN - 1, 0, 0, session, &item));
  DO(vault_trust_copy_pins(vault, space, &buffer));
  EXPECT(holds(PIN ";" PIN));
  expect_at(
      vault, space, NULL, own, 0, VAULT_TRUST_DENY,
      VAULT_TRUST_SELF_SIGNED | VAULT_TRUST_PIN_MISMATCH);
  DO(vault_remove(item, 0));
  DO(vault_item_release(item));
  vault_attributes_t *domain = space_of(URL);
  DO(vault_trust_pin(
      vault, domain, known.bytes, known.count, VAULT_TRUST_WITH_SUBDOMAINS, 0, session, NULL));
  DO(vault_trust_copy_pins(vault, space, &buffer));
  EXPECT(holds(known.bytes));
  expect_at(vault, space, NULL, own, 0, VAULT_TRUST_RECOVERABLE, VAULT_TRUST_SELF_SIGNED);
  DO(vault_trust_pin(
      vault, domain, PIN, sizeof PIN - 1, VAULT_TRUST_WITH_SUBDOMAINS | VAULT_TRUST_REPORT_ONLY,
      9000000000000, session, NULL));
  expect_at(vault, space, NULL, own, 0, VAULT_TRUST_RECOVERABLE, VAULT_TRUST_SELF_SIGNED);
  vault_buffer_free(&known);
  vault_buffer_free(&now);
  DO(vault_attributes_free(domain));
  DO(vault_trust_evaluation_free(found));
  DO(vault_trust_evaluation_free(changed));
}

int main(int count, char **arguments) {
  EXPECT(count == 2);
  char path[600], certificates[600];
  snprintf(path, sizeof path, "%s/vault", arguments[1]);
  snprintf(certificates, sizeof certificates, "%s/certificates", arguments[1]);
  folder = certificates;
  EXPECT(make_certificates(folder, "www.example.com"));
  vault_t *vault = NULL;
  DO(vault_create_with_key_file(path, getenv("VAULTCTL_KEY_FILE"), &vault));
  vault_attributes_t *space = space_of("https://www.example.com");
  policies(space);
  decisions(vault, space);
  DO(vault_attributes_free(space));
  DO(vault_close(vault));
  return 0;
}
