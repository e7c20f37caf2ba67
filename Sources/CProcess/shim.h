#ifndef VAULTCTL_CPROCESS_SHIM_H
#define VAULTCTL_CPROCESS_SHIM_H

#include <getopt.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>

// prctl is variadic, which Swift cannot call.
static inline int vaultctl_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// A global that Swift 6 does not let anybody read.
extern char **environ;
static inline char **vaultctl_environment(void) { return environ; }

static inline int vaultctl_signal_descriptor(const sigset_t *signals) {
  return signalfd(-1, signals, SFD_CLOEXEC);
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
