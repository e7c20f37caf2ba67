// What a test does to the kernel's keyrings before or beside a program:
//   session PROGRAM …          runs it in a login session of its own, as pam_keyinit makes one
//   old-kernel PROGRAM …       runs it where no keyring is persistent, as in a kernel without them
//   deny ERRNO PROGRAM …       runs it where seccomp forbids the calls, as containers do
//   deny-add ERRNO PROGRAM …   the same for add_key(2) alone
//   count PREFIX               prints how many of the project's keys have names that begin so
//   print NAME                 prints what a key holds, in hexadecimal digits
//   numbers PREFIX             prints the numbers of the keys whose names begin so
//   keyring                    prints the number of the keyring that has them
//   unlink                     removes that keyring from the user's own, if it is there
//   plant NAME SECONDS         adds a key beside them; its content is standard input
//   bait NAME                  adds a key to the user's own keyring, for a minute
//   attack KEYRING NUMBER …    tries to read keys by what a process inherits and by their numbers
//   replant NAME SECONDS OFFSET XOR
//                              changes one byte of a key, which then lives so long
//   fill                       takes what is left of the user's quota, for a minute

#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static long keyctl(int operation, long a, long b, long c, long d) {
  return syscall(SYS_keyctl, operation, a, b, c, d);
}

static int fail(const char *what) {
  perror(what);
  return 125;
}

static int run(char **words) {
  execvp(words[0], words);
  return fail(words[0]);
}

static int filtered(struct sock_filter *filter, size_t count, char **words) {
  struct sock_fprog program = {(unsigned short)count, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail("no_new_privs");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return fail("seccomp");
  return run(words);
}

static int deny(int number, int onlyAdd, char **words) {
  uint32_t refuse = SECCOMP_RET_ERRNO | ((uint32_t)number & SECCOMP_RET_DATA);
  uint32_t others = onlyAdd ? SECCOMP_RET_ALLOW : refuse;
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_add_key, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, refuse),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_keyctl, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_request_key, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, others),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return filtered(filter, sizeof filter / sizeof *filter, words);
}

static int without_persistent(char **words) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_keyctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, KEYCTL_GET_PERSISTENT, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return filtered(filter, sizeof filter / sizeof *filter, words);
}

// Returns the project's keyring, whose keys this process then possesses; -1 if there is none.
static long keyring(void) {
  long parent = keyctl(KEYCTL_GET_PERSISTENT, -1, KEY_SPEC_PROCESS_KEYRING, 0, 0);
  if (parent < 0) {
    parent = KEY_SPEC_USER_KEYRING;
    keyctl(KEYCTL_LINK, parent, KEY_SPEC_PROCESS_KEYRING, 0, 0);
  }
  return keyctl(KEYCTL_SEARCH, parent, (long)"keyring", (long)"vaultctl", 0);
}

// Calls `found` with each key whose name begins so, and returns how many there are.
static int each(const char *prefix, void (*found)(int32_t key)) {
  int32_t keys[4096];
  long bytes = keyctl(KEYCTL_READ, keyring(), (long)keys, sizeof keys, 0);
  int count = 0;
  for (long i = 0; i < bytes / (long)sizeof *keys; i++) {
    char text[4096];
    if (keyctl(KEYCTL_DESCRIBE, keys[i], (long)text, sizeof text, 0) < 0) continue;
    const char *name = strrchr(text, ';');
    if (!name || strncmp(name + 1, prefix, strlen(prefix)) != 0) continue;
    found(keys[i]);
    count++;
  }
  return count;
}

static void print_number(int32_t key) { printf("%d\n", key); }

static void ignore(int32_t key) { (void)key; }

static int keep(const char *name, const void *content, size_t size, int seconds) {
  long key = syscall(SYS_add_key, "user", name, content, size, KEY_SPEC_PROCESS_KEYRING);
  if (key < 0 || keyctl(KEYCTL_SETPERM, key, 0x3f000000, 0, 0) != 0 ||
      keyctl(KEYCTL_SET_TIMEOUT, key, seconds, 0, 0) != 0 ||
      keyctl(KEYCTL_LINK, key, keyring(), 0, 0) != 0)
    return fail("keep");
  return 0;
}

static long find(const char *name) {
  return keyctl(KEYCTL_SEARCH, keyring(), (long)"user", (long)name, 0);
}

static int replant(const char *name, int seconds, int offset, int change) {
  unsigned char content[4096];
  long key = find(name);
  if (key < 0) return fail("search");
  long size = keyctl(KEYCTL_READ, key, (long)content, sizeof content, 0);
  if (size < 0 || offset >= size) return fail("read");
  content[offset] ^= (unsigned char)change;
  return keep(name, content, (size_t)size, seconds);
}

static int print(const char *name) {
  unsigned char content[4096];
  long size = keyctl(KEYCTL_READ, find(name), (long)content, sizeof content, 0);
  if (size < 0) return fail("read");
  for (long i = 0; i < size; i++) printf("%02x", content[i]);
  return puts("") < 0;
}

// A key as any program of the user may have it: for who possesses it.
static int bait(const char *name) {
  long key = syscall(SYS_add_key, "user", name, "x", 1, KEY_SPEC_USER_KEYRING);
  if (key < 0 || keyctl(KEYCTL_SETPERM, key, 0x3f000000, 0, 0) != 0 ||
      keyctl(KEYCTL_SET_TIMEOUT, key, 60, 0, 0) != 0)
    return fail("bait");
  return printf("%ld\n", key) < 0;
}

static int read_by(const char *way, long key) {
  char content[4096];
  if (keyctl(KEYCTL_READ, key, (long)content, sizeof content, 0) >= 0)
    return printf("%s\n", way) > 0;
  return 0;
}

// Prints by which way each key could be read, or "nothing".
static int attack(long ring, int count, char **numbers) {
  int reads = 0;
  for (int i = 0; i < count; i++) reads += read_by("inherited", atol(numbers[i]));
  keyctl(KEYCTL_GET_PERSISTENT, -1, KEY_SPEC_PROCESS_KEYRING, 0, 0);
  keyctl(KEYCTL_LINK, ring, KEY_SPEC_PROCESS_KEYRING, 0, 0);
  for (int i = 0; i < count; i++) {
    keyctl(KEYCTL_LINK, atol(numbers[i]), KEY_SPEC_PROCESS_KEYRING, 0, 0);
    reads += read_by("linked", atol(numbers[i]));
  }
  for (int i = 0; i < count; i++) {
    keyctl(KEYCTL_SETPERM, atol(numbers[i]), 0x3f3f3f3f, 0, 0);
    keyctl(KEYCTL_SETPERM, ring, 0x3f3f3f3f, 0, 0);
    reads += read_by("changed", atol(numbers[i]));
  }
  // The session's keyring of that name, if the kernel finds it for this process.
  keyctl(KEYCTL_JOIN_SESSION_KEYRING, (long)"vaultctl", 0, 0, 0);
  for (int i = 0; i < count; i++) reads += read_by("joined", atol(numbers[i]));
  if (reads == 0) puts("nothing");
  return reads > 0;
}

static int fill(void) {
  char name[64];
  for (int i = 0;; i++) {
    snprintf(name, sizeof name, "filler:%d", i);
    long key = syscall(SYS_add_key, "user", name, "x", 1, KEY_SPEC_USER_KEYRING);
    if (key < 0) break;
    keyctl(KEYCTL_SET_TIMEOUT, key, 60, 0, 0);
  }
  return errno == EDQUOT ? 0 : fail("fill");
}

int main(int argc, char **argv) {
  const char *action = argc > 1 ? argv[1] : "";
  if (argc > 2 && strcmp(action, "session") == 0) {
    if (keyctl(KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0) < 0) return fail("session");
    return run(argv + 2);
  }
  if (argc > 3 && strcmp(action, "deny") == 0) return deny(atoi(argv[2]), 0, argv + 3);
  if (argc > 3 && strcmp(action, "deny-add") == 0) return deny(atoi(argv[2]), 1, argv + 3);
  if (argc > 2 && strcmp(action, "old-kernel") == 0) return without_persistent(argv + 2);
  if (argc == 3 && strcmp(action, "count") == 0) return printf("%d\n", each(argv[2], ignore)) < 0;
  if (argc == 3 && strcmp(action, "numbers") == 0) return each(argv[2], print_number) == 0;
  if (argc == 2 && strcmp(action, "keyring") == 0) return printf("%ld\n", keyring()) < 0;
  if (argc == 2 && strcmp(action, "unlink") == 0)
    return keyctl(KEYCTL_UNLINK, keyring(), KEY_SPEC_USER_KEYRING, 0, 0) != 0 && errno != ENOENT && errno != ENOKEY;
  if (argc == 3 && strcmp(action, "bait") == 0) return bait(argv[2]);
  if (argc > 3 && strcmp(action, "attack") == 0) return attack(atol(argv[2]), argc - 3, argv + 3);
  if (argc == 4 && strcmp(action, "plant") == 0) {
    char content[4096];
    size_t size = fread(content, 1, sizeof content, stdin);
    return keep(argv[2], content, size, atoi(argv[3]));
  }
  if (argc == 6 && strcmp(action, "replant") == 0)
    return replant(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
  if (argc == 3 && strcmp(action, "print") == 0) return print(argv[2]);
  if (argc == 2 && strcmp(action, "fill") == 0) return fill();
  fprintf(stderr, "usage: see the source\n");
  return 125;
}
