#include "toolchain.h"

// The smallest header that has `_GLIBCXX_RELEASE`.
#include <cstddef>

#include <unistring/version.h>

int vault_gcc_release(void) { return _GLIBCXX_RELEASE; }

int vault_libunistring_version(void) { return _LIBUNISTRING_VERSION; }
