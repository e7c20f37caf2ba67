/* Forks while another thread changes an item: the child never waits, and its vault is locked. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "world.h"

enum { CHILDREN = 40 };

static struct world w;
static atomic_int is_over;

static void *change(void *argument) {
  (void)argument;
  for (int turn = 0; !is_over; turn += 1) {
    vault_attributes_t *changes = NULL;
    EXPECT(vault_attributes_create(&changes) == VAULT_OK);
    EXPECT(vault_attributes_set_secret(changes, &turn, sizeof turn) == VAULT_OK);
    EXPECT(vault_modify(w.item, changes, 0, VAULT_ACCEPTED) == VAULT_OK);
    EXPECT(vault_attributes_free(changes) == VAULT_OK);
  }
  return NULL;
}

static void be_the_child(void) {
  alarm(120);
  vault_attributes_t *attributes = NULL;
  vault_buffer_t text = {NULL, 0};
  EXPECT(vault_attributes_create(&attributes) == VAULT_LOCKED && attributes == NULL);
  EXPECT(vault_item_copy_text(w.item, VAULT_ACCOUNT, &text) == VAULT_LOCKED);
  EXPECT(vault_modify(w.item, w.changes, 0, 0) == VAULT_LOCKED);
  vault_http_step_t step;
  EXPECT(vault_http_exchange_next(w.exchange, w.response, NULL, NULL, &step) == VAULT_LOCKED);
  EXPECT(strlen(vault_last_error()) > 0);
  EXPECT(
      VaultFindInternetPassword(
          NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0, 0, NULL, NULL, NULL) ==
      errVaultInteractionNotAllowed);
  EXPECT(VaultItemRetain(w.item) == NULL);
  VaultItemRelease(w.item);
  EXPECT(vault_close(w.vault) == VAULT_LOCKED);
  _exit(0);
}

int main(int count, char **arguments) {
  EXPECT(count == 2);
  world_make(&w, arguments[1], 0);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, change, NULL) == 0);
  for (int number = 0; number < CHILDREN; number += 1) {
    usleep(1000 * (number % 7));
    const pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) be_the_child();
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  is_over = 1;
  EXPECT(pthread_join(thread, NULL) == 0);
  /* The parent continues unchanged. */
  vault_buffer_t secret = {NULL, 0};
  EXPECT(vault_item_copy_secret(w.item, &secret) == VAULT_OK && secret.count == sizeof(int));
  vault_buffer_free(&secret);
  EXPECT(vault_close(w.vault) == VAULT_OK);
  return 0;
}
