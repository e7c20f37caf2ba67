#ifndef VAULT_CTOOLCHAIN_H
#define VAULT_CTOOLCHAIN_H

#ifdef __cplusplus
extern "C" {
#endif

// The release of GCC whose libstdc++ and libgcc the linker takes: clang finds both in one folder.
int vault_gcc_release(void);

// Of the headers, in the package that also has the static library. The library's own variable would
// link it to programs that reach it through the shared libidn2 alone.
int vault_libunistring_version(void);

#ifdef __cplusplus
}
#endif

#endif
