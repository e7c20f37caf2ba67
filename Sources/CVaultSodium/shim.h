#ifndef VAULT_CSODIUM_SHIM_H
#define VAULT_CSODIUM_SHIM_H

#include <malloc.h>
#include <sodium.h>
#include <sys/prctl.h>

// prctl is variadic, which Swift cannot call. 1 where a core may be written and a debugger may
// attach.
static inline int vault_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

#endif
