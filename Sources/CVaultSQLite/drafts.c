#include "vault_drafts.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

// In a signal handler there is no memory to allocate and no lock to take, so the names are in a
// table, and whoever changes the state of a row has it for itself.
enum { is_free, is_written, is_noted, is_being_removed };

static struct {
  atomic_int state;
  pid_t process;
  char path[PATH_MAX], journal[PATH_MAX];
} drafts[8];

enum { draft_count = sizeof drafts / sizeof *drafts };

int vault_draft_note(const char *path) {
  size_t length = strlen(path);
  if (length + sizeof "-journal" > PATH_MAX) return -1;
  for (int number = 0; number < draft_count; number++) {
    int expected = is_free;
    if (!atomic_compare_exchange_strong(&drafts[number].state, &expected, is_written)) continue;
    memcpy(drafts[number].path, path, length + 1);
    memcpy(drafts[number].journal, path, length);
    memcpy(drafts[number].journal + length, "-journal", sizeof "-journal");
    drafts[number].process = getpid();
    atomic_store(&drafts[number].state, is_noted);
    return number;
  }
  return -1;
}

void vault_draft_forget(int number) {
  if (number < 0) return;
  // A handler on another thread may have the row, and then keeps it: the process ends.
  int expected = is_noted;
  (void)atomic_compare_exchange_strong(&drafts[number].state, &expected, is_free);
}

static void end(int signal_number) {
  int error = errno;
  for (int number = 0; number < draft_count; number++) {
    int expected = is_noted;
    if (!atomic_compare_exchange_strong(&drafts[number].state, &expected, is_being_removed)) continue;
    // A child that has not become another program yet has a copy of the table.
    if (drafts[number].process != getpid()) continue;
    // The journal first, so that none is ever left alone.
    (void)unlink(drafts[number].journal);
    (void)unlink(drafts[number].path);
  }
  // The default action ends the process as soon as the handler returns, so that its parent sees
  // the signal.
  signal(signal_number, SIG_DFL);
  raise(signal_number);
  errno = error;
}

void vault_drafts_end_with_signals(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
    struct sigaction before, new = {.sa_handler = end};
    sigfillset(&new.sa_mask);
    if (sigaction(numbers[index], NULL, &before) != 0) continue;
    if (before.sa_handler == SIG_DFL) (void)sigaction(numbers[index], &new, NULL);
  }
}
