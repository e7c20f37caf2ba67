/* Runs eight threads that use one vault and one item at once; every count must be exact. */
#include <pthread.h>
#include <stdatomic.h>

#include "world.h"

enum { THREADS = 8, ROUNDS = 40, TURNS = 2000 };

static vault_t *vault;
static vault_item_t *shared;
static atomic_int added, modified, deleted, failed;

/* Changes items of one thread while other threads do the same with theirs. */
static void *use_items(void *argument) {
  const int thread = (int)(intptr_t)argument;
  for (int round = 0; round < ROUNDS; round += 1) {
    char account[32];
    const int count = snprintf(account, sizeof account, "%d-%d", thread, round);
    vault_attributes_t *attributes = NULL;
    vault_item_t *item = NULL;
    EXPECT(vault_attributes_create(&attributes) == VAULT_OK);
    EXPECT(vault_attributes_set_text(attributes, VAULT_ACCOUNT, account, count) == VAULT_OK);
    EXPECT(vault_attributes_set_secret(attributes, account, count) == VAULT_OK);
    EXPECT(vault_add(vault, attributes, VAULT_PERSISTENCE_PERMANENT, 0, NULL) == VAULT_OK);
    added += 1;
    EXPECT(vault_find_unique(vault, attributes, VAULT_WITH_SECRETS, &item) == VAULT_OK);
    vault_buffer_t secret = {NULL, 0};
    EXPECT(vault_item_copy_secret(item, &secret) == VAULT_OK);
    EXPECT(secret.count == (size_t)count && memcmp(secret.bytes, account, count) == 0);
    vault_buffer_free(&secret);
    if (round % 2 == 0) {
      EXPECT(vault_attributes_set_text(attributes, VAULT_COMMENT, "x", 1) == VAULT_OK);
      EXPECT(vault_modify(item, attributes, 0, 0) == VAULT_OK);
      modified += 1;
    }
    if (round % 4 == 0) {
      EXPECT(vault_remove(item, 0) == VAULT_OK);
      deleted += 1;
    }
    EXPECT(vault_item_release(item) == VAULT_OK);
    EXPECT(vault_attributes_free(attributes) == VAULT_OK);
  }
  return NULL;
}

/* Shares one handle: retains, releases, reads and changes it. */
static void *share(void *argument) {
  (void)argument;
  for (int turn = 0; turn < TURNS; turn += 1) {
    EXPECT(vault_item_retain(shared) == VAULT_OK);
    vault_buffer_t text = {NULL, 0};
    EXPECT(vault_item_copy_text(shared, VAULT_ACCOUNT, &text) == VAULT_OK);
    EXPECT(text.count == 6);
    vault_buffer_free(&text);
    EXPECT(vault_item_release(shared) == VAULT_OK);
  }
  return NULL;
}

/* Releases a handle that other threads also release: exactly one release per owner succeeds. */
static void *release(void *argument) {
  (void)argument;
  for (int turn = 0; turn < THREADS; turn += 1) failed += vault_item_release(shared) != VAULT_OK;
  return NULL;
}

static void run(void *(*body)(void *)) {
  pthread_t threads[THREADS];
  for (intptr_t index = 0; index < THREADS; index += 1) {
    EXPECT(pthread_create(&threads[index], NULL, body, (void *)index) == 0);
  }
  for (int index = 0; index < THREADS; index += 1) {
    EXPECT(pthread_join(threads[index], NULL) == 0);
  }
}

static size_t count_of(const char *comment) {
  vault_attributes_t *query = NULL;
  size_t count = 0;
  EXPECT(vault_attributes_create(&query) == VAULT_OK);
  EXPECT(vault_attributes_set_text(query, VAULT_COMMENT, comment, strlen(comment)) == VAULT_OK);
  EXPECT(vault_count(vault, query, 0, &count) == VAULT_OK);
  EXPECT(vault_attributes_free(query) == VAULT_OK);
  return count;
}

int main(int count, char **arguments) {
  EXPECT(count == 2);
  char path[512];
  snprintf(path, sizeof path, "%s/vault", arguments[1]);
  EXPECT(vault_create_with_key_file(path, getenv("VAULTCTL_KEY_FILE"), &vault) == VAULT_OK);
  run(use_items);
  EXPECT(added == THREADS * ROUNDS && modified == added / 2 && deleted == added / 4);
  EXPECT(count_of("x") == THREADS * ROUNDS / 4);
  EXPECT(count_of("") == THREADS * ROUNDS / 2);

  vault_attributes_t *attributes = NULL;
  EXPECT(vault_attributes_create(&attributes) == VAULT_OK);
  EXPECT(vault_attributes_set_text(attributes, VAULT_ACCOUNT, "shared", 6) == VAULT_OK);
  EXPECT(vault_add(vault, attributes, VAULT_PERSISTENCE_PERMANENT, 0, &shared) == VAULT_OK);
  EXPECT(vault_attributes_free(attributes) == VAULT_OK);
  run(share);
  for (int owner = 1; owner < THREADS; owner += 1) EXPECT(vault_item_retain(shared) == VAULT_OK);
  run(release);
  EXPECT(failed == THREADS * THREADS - THREADS);
  EXPECT(vault_close(vault) == VAULT_OK);
  return 0;
}
