#ifndef VAULTCTL_CPROCESS_SHIM_H
#define VAULTCTL_CPROCESS_SHIM_H

#include <getopt.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

// prctl is variadic, which Swift cannot call.
static inline int vaultctl_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// A global that Swift 6 does not let anybody read.
extern char **environ;
static inline char **vaultctl_environment(void) { return environ; }

static inline int vaultctl_signal_descriptor(const sigset_t *signals) {
  return signalfd(-1, signals, SFD_CLOEXEC);
}

// memfd_create(2) and fcntl(2) show these only to GNU sources, which Swift's importer does not
// make.
static inline int vaultctl_memory_file(void) {
  const unsigned int close_on_exec = 1, allow_sealing = 2;  // MFD_CLOEXEC, MFD_ALLOW_SEALING
  return (int)syscall(SYS_memfd_create, "secret", close_on_exec | allow_sealing);
}

// Not fcntl.h, whose struct stat would be this module's then for files that do not import it.
extern int fcntl(int file, int command, ...);
static inline int vaultctl_seal(int file) {
  const int add_seals = 1033;            // F_ADD_SEALS
  const int all = 0x1 | 0x2 | 0x4 | 0x8;  // F_SEAL_SEAL, SHRINK, GROW, WRITE
  return fcntl(file, add_seals, all);
}

// A program that is started gets no descriptor from this one on; spawn.h shows it to GNU sources only.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
static inline int vaultctl_close_from(posix_spawn_file_actions_t *actions, int from) {
  return posix_spawn_file_actions_addclosefrom_np(actions, from);
}

// pipe2(2), as above.
extern int pipe2(int ends[2], int flags);
static inline int vaultctl_pipe(int *ends) {
  const int close_on_exec = 02000000;  // O_CLOEXEC
  return pipe2(ends, close_on_exec);
}

// execvpe(3): another program takes the place of this one; returns only if it cannot.
extern int execvpe(const char *file, char *const argv[], char *const envp[]);
static inline void vaultctl_become(char *const *argv, char *const *envp) {
  execvpe(argv[0], argv, envp);
}

// The structure statfs and its function have one name, which Swift cannot tell apart here.
static inline int vaultctl_is_in_memory(const char *folder) {
  struct statfs facts;
  if (statfs(folder, &facts) != 0) return 0;
  const unsigned long tmpfs = 0x01021994, ramfs = 0x858458f6;
  return (unsigned long)facts.f_type == tmpfs || (unsigned long)facts.f_type == ramfs;
}

// getopt reports through mutable globals, which Swift 6 does not let anybody read.
struct vaultctl_option_scan {
  int code;     // what getopt_long returned
  int next;     // optind: the first argument that was not looked at
  int refused;  // optopt: the code of an option that was refused, 0 if it is in no table
  char *value;  // optarg
};

static inline struct vaultctl_option_scan vaultctl_next_option(
    int restart, int argc, char *const *argv, const char *letters, const struct option *names) {
  // 0 and not 1: glibc then forgets what it remembers of another argv.
  if (restart) optind = 0;
  opterr = 0;
  optopt = 0;
  optarg = 0;
  struct vaultctl_option_scan scan;
  scan.code = getopt_long(argc, argv, letters, names, 0);
  scan.next = optind;
  scan.refused = optopt;
  scan.value = optarg;
  return scan;
}

#endif
