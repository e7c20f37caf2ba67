#ifndef VAULT_CSYSTEM_SHIM_H
#define VAULT_CSYSTEM_SHIM_H

// The system calls that Swift's Glibc lacks.

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

// The file system's kind, statfs(2)'s f_type, which Swift's Glibc lacks: on a network SQLite's locks and
// the header's first bytes are not to be trusted.
static inline int vault_file_system_kind(const char *path, uint32_t *kind) {
  struct statfs information;
  if (statfs(path, &information) != 0) return -1;
  *kind = (uint32_t)information.f_type;
  return 0;
}

// Renames a file, and fails with EEXIST if there is one of that name; Swift's Glibc lacks renameat2(2).
static inline int vault_rename_new(const char *from, const char *to) {
  // AT_FDCWD and RENAME_NOREPLACE; their headers would take struct stat away from Glibc's module.
  const int here = -100;
  const unsigned int no_replace = 1;
  return (int)syscall(SYS_renameat2, here, from, here, to, no_replace);
}

// Lets two files change their names in one step; Swift's Glibc lacks renameat2(2).
static inline int vault_exchange(const char *one, const char *other) {
  // AT_FDCWD and RENAME_EXCHANGE; see above.
  const int here = -100;
  const unsigned int exchange = 2;
  return (int)syscall(SYS_renameat2, here, one, here, other, exchange);
}

// Lets the disk begin to write a range of a file, without waiting for it; Swift's Glibc lacks sync_file_range(2).
static inline void vault_start_writing(int file, int64_t offset, int64_t count) {
  const unsigned int start = 2;  // SYNC_FILE_RANGE_WRITE
  // Only a hint: fsync(2) reports what goes wrong.
  (void)syscall(SYS_sync_file_range, file, offset, count, start);
}

#endif
