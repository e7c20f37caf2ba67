#define _GNU_SOURCE
#include "kill_switch.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The functions below replace libc's. Threads that ThreadSanitizer has already released call them
// too, and its instrumentation would end the process there.
#ifdef __clang__
#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), apply_to = function)
#endif

static atomic_int action = kill_switch_count;
static atomic_int wanted_call, error_number, calls;
static atomic_bool armed;
// Whether something was written since the last synchronization, and whether that was so at a rename.
static atomic_bool is_dirty, was_early;

void kill_switch_arm(enum kill_switch_action what, int call, int error) {
  action = what;
  wanted_call = call;
  error_number = error;
  calls = 0;
  is_dirty = was_early = false;
  armed = true;
}

int kill_switch_disarm(void) {
  armed = false;
  return calls;
}

bool kill_switch_was_early(void) { return was_early; }

pid_t kill_switch_fork(void) { return fork(); }

static void strike(void) {
  if (action == kill_switch_stop) {
    armed = false;
    raise(SIGSTOP);
  } else {
    kill(getpid(), SIGKILL);
    pause();
  }
}

static int ends_in_journal(const char *path) {
  size_t length = strlen(path);
  return length > 8 && strcmp(path + length - 8, "-journal") == 0;
}

// Counts a call; 1 if it is to fail instead of being made.
static int before(const char *unlinked) {
  if (!armed) return 0;
  int call = ++calls;
  if ((action == kill_switch_before_commit || action == kill_switch_stop) && unlinked != NULL &&
      ends_in_journal(unlinked)) {
    strike();
  }
  if ((action == kill_switch_fail_from && call >= wanted_call) ||
      (action == kill_switch_fail_once && call == wanted_call)) {
    errno = error_number;
    return 1;
  }
  return 0;
}

static void after(void) {
  if (!armed || action == kill_switch_count || action >= kill_switch_fail_from) return;
  if (calls >= wanted_call) strike();
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  static ssize_t (*_Atomic next)(int, const void *, size_t, off64_t);
  if (next == NULL) next = dlsym(RTLD_NEXT, "pwrite64");
  if (before(NULL)) return -1;
  ssize_t result = next(file, bytes, count, offset);
  int number = errno;
  is_dirty = true;
  after();
  errno = number;
  return result;
}

int fdatasync(int file) {
  static int (*_Atomic next)(int);
  if (next == NULL) next = dlsym(RTLD_NEXT, "fdatasync");
  if (before(NULL)) return -1;
  int result = next(file);
  is_dirty = false;
  after();
  return result;
}

int fsync(int file) {
  static int (*_Atomic next)(int);
  if (next == NULL) next = dlsym(RTLD_NEXT, "fsync");
  if (before(NULL)) return -1;
  if (armed && action == kill_switch_fail_fsync) {
    errno = error_number;
    return -1;
  }
  int result = next(file);
  is_dirty = false;
  after();
  return result;
}

int ftruncate64(int file, off64_t length) {
  static int (*_Atomic next)(int, off64_t);
  if (next == NULL) next = dlsym(RTLD_NEXT, "ftruncate64");
  if (before(NULL)) return -1;
  int result = next(file, length);
  after();
  return result;
}

int unlink(const char *path) {
  static int (*_Atomic next)(const char *);
  if (next == NULL) next = dlsym(RTLD_NEXT, "unlink");
  if (before(path)) return -1;
  int result = next(path);
  int number = errno;
  after();
  errno = number;
  return result;
}

int link(const char *from, const char *to) {
  static int (*_Atomic next)(const char *, const char *);
  if (next == NULL) next = dlsym(RTLD_NEXT, "link");
  if (before(NULL)) return -1;
  int result = next(from, to);
  int number = errno;
  after();
  errno = number;
  return result;
}

int rename(const char *from, const char *to) {
  static int (*_Atomic next)(const char *, const char *);
  if (next == NULL) next = dlsym(RTLD_NEXT, "rename");
  if (before(NULL)) return -1;
  int result = next(from, to);
  int number = errno;
  after();
  errno = number;
  return result;
}

int fchmod(int file, mode_t mode) {
  static int (*_Atomic next)(int, mode_t);
  if (next == NULL) next = dlsym(RTLD_NEXT, "fchmod");
  return next(file, armed && action == kill_switch_keep_no_modes ? 0755 : mode);
}

// Only calls that create a file count.
static int open_counted(int (*next)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  bool makes = (flags & O_CREAT) != 0;
  if (makes && before(NULL)) return -1;
  int result = next(path, flags, mode);
  int number = errno;
  if (makes && result >= 0 && action == kill_switch_keep_no_modes) fchmod(result, mode);
  if (makes) after();
  errno = number;
  return result;
}

int open(const char *path, int flags, ...) {
  static int (*_Atomic next)(const char *, int, ...);
  if (next == NULL) next = dlsym(RTLD_NEXT, "open");
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_counted(next, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  static int (*_Atomic next)(const char *, int, ...);
  if (next == NULL) next = dlsym(RTLD_NEXT, "open64");
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_counted(next, path, flags, mode);
}

// The vault calls renameat2 by number; other system calls pass.
long syscall(long number, ...) {
  static long (*_Atomic next)(long, ...);
  if (next == NULL) next = dlsym(RTLD_NEXT, "syscall");
  va_list rest;
  va_start(rest, number);
  long words[6];
  for (int i = 0; i < 6; i++) words[i] = va_arg(rest, long);
  va_end(rest);
  bool counts = number == SYS_renameat2;
  if (counts && armed && is_dirty) was_early = true;
  if (counts && before(NULL)) return -1;
  if (counts && armed && action == kill_switch_fail_rename) {
    errno = error_number;
    return -1;
  }
  long result = next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  int error = errno;
  if (counts) after();
  errno = error;
  return result;
}

#ifdef __clang__
#pragma clang attribute pop
#endif

// MARK: A small disk

static int write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  int error = write(file, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : errno;
  close(file);
  return error;
}

// A process may mount in its own user namespace. The user is unchanged, so files keep their owner.
static int enter_namespaces(void) {
  char users[64], groups[64];
  snprintf(users, sizeof users, "%u %u 1", geteuid(), geteuid());
  snprintf(groups, sizeof groups, "%u %u 1", getegid(), getegid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return errno;
  int error = write_file("/proc/self/setgroups", "deny");
  if (error == 0) error = write_file("/proc/self/uid_map", users);
  if (error == 0) error = write_file("/proc/self/gid_map", groups);
  return error;
}

int kill_switch_mount(const char *folder, long bytes) {
  int error = enter_namespaces();
  if (error != 0) return error;
  char options[64];
  snprintf(options, sizeof options, "size=%ld,mode=0700", bytes);
  return mount("vault", folder, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0 ? 0 : errno;
}

// MARK: Memory

enum { block_size = 1 << 20 };
static uint8_t block[block_size + 256];

static int is_match(const uint8_t *at, const uint8_t *masked, uint8_t mask, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if ((uint8_t)(at[i] ^ mask) != masked[i]) return 0;
  }
  return 1;
}

// Reads the next mapping of smaps; returns false after the last one. Source: proc_pid_smaps(5): "lo" is locked, "dd" in no core.
static bool next_mapping(FILE *maps, unsigned long *start, unsigned long *end, char *permissions, bool *is_exposed) {
  char line[512];
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long first, last;
    char access[5];
    if (sscanf(line, "%lx-%lx %4s", &first, &last, access) == 3) {
      *start = first;
      *end = last;
      memcpy(permissions, access, sizeof access);
      continue;
    }
    if (strncmp(line, "VmFlags:", 8) != 0) continue;
    *is_exposed = strstr(line, " dd") == NULL || strstr(line, " lo") == NULL;
    return true;
  }
  return false;
}

long kill_switch_scan_memory(const uint8_t *masked, size_t count, uint8_t mask, size_t window, bool exposed) {
  if (count < window || window < 4 || window > 256 || mask == 0) return -1;
  // The first and second two bytes that a window can have, masked: they exclude most memory.
  static uint8_t first[1 << 16], second[1 << 16];
  memset(first, 0, sizeof first);
  memset(second, 0, sizeof second);
  for (size_t i = 0; i + window <= count; i++) {
    first[masked[i] | masked[i + 1] << 8] = 1;
    second[masked[i + 2] | masked[i + 3] << 8] = 1;
  }
  uint16_t wide = (uint16_t)(mask | mask << 8);
  FILE *maps = fopen("/proc/self/smaps", "r");
  int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (maps == NULL || memory < 0) return -1;
  long found = 0;
  unsigned long start, end;
  char permissions[5];
  bool is_exposed;
  while (next_mapping(maps, &start, &end, permissions, &is_exposed)) {
    if (permissions[0] != 'r' || (exposed && !is_exposed)) continue;
    size_t kept = 0;
    for (unsigned long at = start; at < end;) {
      size_t size = end - at < block_size ? end - at : block_size;
      ssize_t got = pread(memory, block + kept, size, (off_t)at);
      // Some kernel pages cannot be read, such as vvar.
      if (got <= 0) break;
      size_t total = kept + (size_t)got;
      for (size_t i = 0; i + window <= total; i++) {
        uint16_t one, two;
        memcpy(&one, block + i, 2);
        memcpy(&two, block + i + 2, 2);
        if (!first[(uint16_t)(one ^ wide)] || !second[(uint16_t)(two ^ wide)]) continue;
        const uint8_t *here = (const uint8_t *)(at - kept) + i;
        // The scanner's own buffer does not count.
        if (here >= block && here < block + sizeof block) continue;
        for (size_t j = 0; j + window <= count; j++) {
          if (is_match(block + i, masked + j, mask, window)) {
            found++;
            break;
          }
        }
      }
      kept = total < window - 1 ? total : window - 1;
      memmove(block, block + total - kept, kept);
      at += (unsigned long)got;
    }
  }
  fclose(maps);
  close(memory);
  memset(block, 0, sizeof block);
  return found;
}
