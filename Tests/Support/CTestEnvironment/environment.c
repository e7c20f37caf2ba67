// The variables that tests set in their own process.
//
// A variable that is new makes glibc move the list of all, under other threads that look one up.
// So they are there before any thread is, and empty, which is as if they were not set.
#include "CTestEnvironment.h"

#include <stddef.h>
#include <stdlib.h>

__attribute__((constructor)) static void make_variables(void) {
  static const char *const names[] = {
      "SOFTHSM2_CONF", "VAULTCTL_KEY_FILE", "VAULTCTL_VAULT", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (setenv(names[i], "", 0) != 0) abort();
  }
}
