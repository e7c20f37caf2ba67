// The environment of the test process: the same on every machine, made before any thread is.
//
// A machine's own variables change what tests see: a proxy, a display, a language, an agent's socket, another vault. So
// none is left but those that choose tests and report them. A process of another name keeps what a test gave it.
//
// A variable that is new makes glibc move the list of all, under other threads that look one up. So those that tests
// set in their own process are there from the start, and empty, which is as if they were not set.
#define _GNU_SOURCE
#include "CTestEnvironment.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What chooses tests (the testing library's own, and this project's), and the options of sanitizers and of a profile.
static int is_kept(const char *variable) {
  static const char *const prefixes[] = {
      "SWT_", "VAULT_", "ASAN_OPTIONS=", "TSAN_OPTIONS=", "UBSAN_OPTIONS=", "LLVM_PROFILE_FILE=",
  };
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
    if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0) return 1;
  }
  return 0;
}

static void set(const char *name, const char *value, int overwrite) {
  if (setenv(name, value, overwrite) != 0) abort();
}

// A test in a process of its own gets what was made here, and what its parent changed.
static int is_exit_test(void) { return getenv("SWT_EXIT_TEST_ID") != NULL; }

static int is_test_process(void) {
  const char *const suffix = strrchr(program_invocation_short_name, '.');
  return suffix != NULL && strcmp(suffix, ".xctest") == 0;
}

static void remove_foreign(void) {
  char **kept = environ;
  for (char **variable = environ; *variable != NULL; variable++) {
    if (is_kept(*variable)) *kept++ = *variable;
  }
  *kept = NULL;
  set("PATH", "/usr/bin:/bin:/usr/sbin:/sbin", 1);
  set("HOME", "/nonexistent", 1);
  set("LC_ALL", "C.UTF-8", 1);
  set("TZ", "UTC", 1);
  // A crash of a program that a test starts must not wait for Swift's backtracer.
  set("SWIFT_BACKTRACE", "enable=no", 1);
}

// A shell ignores SIGINT and SIGQUIT for what runs in its background, and so would each program that a test starts.
static void restore_signals(void) {
  for (int number = 1; number < SIGRTMIN; number++) {
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) (void)signal(number, SIG_DFL);
  }
  sigset_t none;
  if (sigemptyset(&none) != 0 || sigprocmask(SIG_SETMASK, &none, NULL) != 0) abort();
}

__attribute__((constructor)) static void make_environment(void) {
  static const char *const names[] = {
      "SOFTHSM2_CONF", "VAULTCTL_KEY_FILE", "VAULTCTL_VAULT", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
  };
  if (is_test_process() && !is_exit_test()) {
    remove_foreign();
    restore_signals();
  }
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) set(names[i], "", 0);
}
