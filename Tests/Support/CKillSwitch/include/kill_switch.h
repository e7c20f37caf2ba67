#ifndef VAULT_KILL_SWITCH_H
#define VAULT_KILL_SWITCH_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// What happens to this process at one of the system calls by which SQLite and the vault change files: open that may
// create, pwrite64, fdatasync, fsync, ftruncate64, link, rename, renameat2 and unlink. The program defines these symbols,
// so the shared libsqlite3 calls them here.
enum kill_switch_action {
  // No effect; calls are only counted.
  kill_switch_count = 0,
  // SIGKILL right after the n-th call, or right before the journal is unlinked, which is the commit:
  // always after the first write of a transaction, and always before its commit.
  kill_switch_before_commit = 1,
  // SIGKILL right after the n-th call of any kind.
  kill_switch_anywhere = 2,
  // SIGSTOP right after the n-th call, or right before the journal is unlinked.
  kill_switch_stop = 3,
  // The n-th call and all later ones fail with an error number.
  kill_switch_fail_from = 4,
  // The n-th call alone fails.
  kill_switch_fail_once = 5,
  // renameat2 alone fails with an error number, always.
  kill_switch_fail_rename = 6,
  // fsync alone fails with an error number, always.
  kill_switch_fail_fsync = 7,
  // New files have mode 0755 and keep it, as on a stick with FAT, where fchmod succeeds and has no effect.
  kill_switch_keep_no_modes = 8,
};

void kill_switch_arm(enum kill_switch_action action, int call, int error);

// Returns the number of calls since it was armed, and disarms it.
int kill_switch_disarm(void);

// Whether, since it was armed, a file was renamed by renameat2 while the last bytes that were written anywhere were not
// synchronized yet.
bool kill_switch_was_early(void);

// Mounts an empty disk of `bytes` bytes on a folder, in this process's own namespaces: no other
// process sees it, and it disappears with this one. Returns 0 or an error number; EPERM if the
// system does not let users create namespaces.
int kill_switch_mount(const char *folder, long bytes);

// Swift imports no fork.
pid_t kill_switch_fork(void);

// Searches all readable memory of this process for a pattern, except its own copy.
//
// The pattern is given XORed with `mask`, so that it is not found in the argument. Found are the whole pattern and every
// window of `window` of its bytes; the number of windows found is returned, or −1. With `exposed`, only memory counts
// that a core would have or that may be swapped.
long kill_switch_scan_memory(const uint8_t *masked, size_t count, uint8_t mask, size_t window, bool exposed);

#endif
