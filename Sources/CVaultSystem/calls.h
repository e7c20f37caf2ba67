#ifndef VAULT_CSYSTEM_SHIM_H
#define VAULT_CSYSTEM_SHIM_H

// The system calls that Swift's Glibc lacks.

#include <gnu/libc-version.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

// The file system's kind, statfs(2)'s f_type, which Swift's Glibc lacks: on a network SQLite's
// locks and the header's first bytes are not to be trusted.
static inline int vault_file_system_kind(const char *path, uint32_t *kind) {
  struct statfs information;
  if (statfs(path, &information) != 0) return -1;
  *kind = (uint32_t)information.f_type;
  return 0;
}

// The version of the C library that runs, which Swift's Glibc lacks.
static inline const char *vault_glibc_version(void) { return gnu_get_libc_version(); }

// Renames a file, and fails with EEXIST if there is one of that name; Swift's Glibc lacks
// renameat2(2).
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

// Lets the disk begin to write a range of a file, without waiting for it; Swift's Glibc lacks
// sync_file_range(2).
static inline void vault_start_writing(int file, int64_t offset, int64_t count) {
  const unsigned int start = 2;  // SYNC_FILE_RANGE_WRITE
  // Only a hint: fsync(2) reports what goes wrong.
  (void)syscall(SYS_sync_file_range, file, offset, count, start);
}

// Finds the next bytes of a file, from an offset, that may be other than zero, and moves the offset to
// the first of them; `end` is behind the last. Fails with ENXIO if there are none; Swift's Glibc lacks
// lseek(2)'s ways to do it.
static inline int vault_next_data(int file, int64_t *offset, int64_t *end) {
  const int seek_data = 3, seek_hole = 4;
  off_t start = lseek(file, (off_t)*offset, seek_data);
  if (start < 0) return -1;
  off_t hole = lseek(file, start, seek_hole);
  if (hole < 0) return -1;
  *offset = start;
  *end = hole;
  return 0;
}

// The kernel's keys: add_key(2) and the operations of keyctl(2), which no library that is linked
// has. A key or keyring is a number; the keyrings of the caller have negative ones.

// Adds a key of a type: "user", whose contents can be read back, or "keyring", which has none.
static inline int32_t vault_key_add(const char *type, const char *name, const void *content, size_t count,
                                    int32_t keyring) {
  return (int32_t)syscall(SYS_add_key, type, name, content, count, keyring);
}

static inline int32_t vault_key_search(int32_t keyring, const char *type, const char *name) {
  return (int32_t)syscall(SYS_keyctl, 10 /* KEYCTL_SEARCH */, keyring, type, name, 0);
}

// Links the user's persistent keyring of this user namespace to a keyring, and returns its number.
static inline int32_t vault_key_persistent(int32_t keyring) {
  return (int32_t)syscall(SYS_keyctl, 22 /* KEYCTL_GET_PERSISTENT */, -1, keyring, 0, 0);
}

// Returns how long the content is, which may be more than fits.
static inline long vault_key_read(int32_t key, void *content, size_t count) {
  return syscall(SYS_keyctl, 11 /* KEYCTL_READ */, key, content, count);
}

// Returns how long "type;uid;gid;mode;name" is with its NUL, which may be more than fits.
static inline long vault_key_describe(int32_t key, char *text, size_t count) {
  return syscall(SYS_keyctl, 6 /* KEYCTL_DESCRIBE */, key, text, count);
}

static inline int vault_key_set_mode(int32_t key, uint32_t mode) {
  return (int)syscall(SYS_keyctl, 5 /* KEYCTL_SETPERM */, key, mode);
}

static inline int vault_key_set_timeout(int32_t key, uint32_t seconds) {
  return (int)syscall(SYS_keyctl, 15 /* KEYCTL_SET_TIMEOUT */, key, seconds);
}

static inline int vault_key_link(int32_t key, int32_t keyring) {
  return (int)syscall(SYS_keyctl, 8 /* KEYCTL_LINK */, key, keyring);
}

// Fails with EEXIST if the other keyring has a key of the same name.
static inline int vault_key_move_new(int32_t key, int32_t keyring, int32_t other) {
  return (int)syscall(SYS_keyctl, 30 /* KEYCTL_MOVE */, key, keyring, other, 1 /* KEYCTL_MOVE_EXCL */);
}

static inline int vault_key_unlink(int32_t key, int32_t keyring) {
  return (int)syscall(SYS_keyctl, 9 /* KEYCTL_UNLINK */, key, keyring);
}

static inline int vault_key_invalidate(int32_t key) {
  return (int)syscall(SYS_keyctl, 21 /* KEYCTL_INVALIDATE */, key);
}

#endif
